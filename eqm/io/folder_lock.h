// Keeps a second writer out of a folder: a file in it that is locked while this object lives, and
// that the system unlocks when the process ends, however it ends. The file is removed with the
// object, and so is the folder when nothing else was written into it.
#pragma once

#include <filesystem>

#include "eqm/io/file_descriptor.h"
#include "eqm/io/output_folder.h"

namespace eqm {

class FolderLock {
 public:
  // Makes the folder if need be. Kind io, naming the process, when a living one holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  OutputFolder folder_;
  std::filesystem::path path_;
  FileDescriptor file_;
  LiveTemporary listed_;  // while the lock is held: a signal removes our own file only
};

}  // namespace eqm
