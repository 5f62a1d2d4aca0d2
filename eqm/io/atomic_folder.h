// A folder that appears all at once: files are written into a temporary one beside it, and commit()
// renames it when everything is on disk. A reader never sees half of it. Without commit() the
// temporary folder is removed. One writer per object.
#pragma once

#include <filesystem>

#include "eqm/io/file_descriptor.h"

namespace eqm {

class AtomicFolder {
 public:
  // The parent must exist and `path` must not.
  explicit AtomicFolder(const std::filesystem::path& path);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();

  // Where to write meanwhile, with writers that sync what they write (AtomicFile does).
  const std::filesystem::path& path() const { return temporary_; }

  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  FileDescriptor lock_;
  bool committed_ = false;
};

// Removes a folder and all in it; it vanishes at once, by a rename, before its files are deleted.
void remove_folder(const std::filesystem::path& path);

}  // namespace eqm
