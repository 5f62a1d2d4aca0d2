// Files of lines that only grow, such as the metrics of a run (one JSON object per line). A line is
// written by one write(2); a torn last line that a crash left all the same is cut off when the file
// is opened again, and readers pass over it. One writer per file; not for use from several threads.
// Failures are Errors of kind io.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/io/append_file.h"

namespace eqm {

// The whole lines of a file, without their ends.
std::vector<std::string> read_lines(const std::filesystem::path& path);

class LineLog {
 public:
  using Keep = std::function<bool(std::string_view line)>;

  // Goes on after the whole lines of the file, if there is one.
  explicit LineLog(const std::filesystem::path& path);

  // First drops the lines for which `keep` is false: a resumed run drops those past its checkpoint.
  // A reader sees the file as it was or as it should be, nothing in between.
  LineLog(const std::filesystem::path& path, const Keep& keep);

  // `line` holds no line end.
  void append(std::string_view line);

  // Makes everything appended so far survive a power cut.
  void flush() { file_.sync(); }

 private:
  AppendFile file_;
};

}  // namespace eqm
