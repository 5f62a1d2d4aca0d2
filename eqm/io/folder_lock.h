// Keeps a second writer out of a folder: a file in it that is locked while this object lives, and
// that the system unlocks when the process ends, however it ends.
#pragma once

#include <filesystem>

#include "eqm/io/file_descriptor.h"

namespace eqm {

class FolderLock {
 public:
  // Makes the folder if need be. Kind io, naming the process, when a living one holds the lock.
  explicit FolderLock(const std::filesystem::path& folder);

 private:
  FileDescriptor file_;
};

}  // namespace eqm
