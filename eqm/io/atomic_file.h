// Writes a file so that readers see the old content or all of the new one, never a part: the bytes
// go to a temporary name in the same folder and commit() syncs them, renames, and syncs the folder.
// Without commit() the temporary is removed and the old file stays as it was. A process that is
// killed leaves its temporaries; the next one that writes into the folder sweeps them away. One
// writer per object; not for use from several threads. Every failure is an Error of kind io.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "eqm/io/file_descriptor.h"
#include "eqm/io/live_temporaries.h"

namespace eqm {

class AtomicFile {
 public:
  // The folder must exist; the first file in it sweeps it (once in a process). A symbolic link to a
  // file is followed; devices, pipes and folders are refused, because the rename would replace
  // them.
  explicit AtomicFile(const std::filesystem::path& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  // After a failed write the temporary is gone and the object only throws.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);

  // Replaces bytes that were written before, for headers that tell what follows them.
  void overwrite(uint64_t offset, std::span<const std::byte> bytes);

  void commit();

 private:
  void require_open() const;
  void discard() noexcept;

  std::filesystem::path path_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
  LiveTemporary live_;
};

// The whole content at once.
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);

// Makes the folder and its parents; fine when it exists already.
void create_folder(const std::filesystem::path& path);

// A fresh name in the same folder, for what is to be renamed to `path`.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

// Makes renames within the folder survive a power cut.
void sync_folder(const std::filesystem::path& folder);

// Removes the temporary files and folders in a folder whose writers are gone. A writer holds a
// lock, so those of living processes are left alone, also in other containers and on other hosts;
// so is whatever cannot be locked or removed.
void sweep_temporaries(const std::filesystem::path& folder);

// The same once for every folder and process: what others left is there from the start, and a
// folder may hold a hundred thousand files.
void sweep_temporaries_once(const std::filesystem::path& folder);

}  // namespace eqm
