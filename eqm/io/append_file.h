// A file that only grows, a record at a time: a record is on disk as a whole or not at all, as long
// as the machine runs. One write(2) each, so a killed process leaves no half of one except in the
// middle of that call; a write that fails (disk full) is taken back. One writer per file; not for
// use from several threads. Every failure is an Error of kind io.
#pragma once

#include <filesystem>
#include <string_view>

#include "eqm/io/file_descriptor.h"

namespace eqm {

class AppendFile {
 public:
  enum class Open {
    create,  // the file must not exist yet
    extend,  // made if it does not exist; a character device such as /dev/null will do
  };

  AppendFile(const std::filesystem::path& path, Open mode);

  // After a failure the file holds what it held before; the next record may be tried.
  void append(std::string_view record);

  // Makes everything appended so far survive a power cut.
  void sync();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace eqm
