#include "eqm/io/jsonl.h"

#include <system_error>

#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// Hands every whole line to `take`.
template <class Take>
void each_line(std::string_view text, const Take& take) {
  for (size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

// Leaves the whole lines that are to be kept. Cutting the end off needs no room on the disk, so it
// is preferred to writing the file anew.
void mend(const fs::path& path, const LineLog::Keep& keep) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return;
  std::string kept;
  bool is_whole = false, is_beginning = false;
  {
    const MappedFile file = MappedFile::open(path);
    each_line(file.text(), [&](std::string_view line) {
      if (!keep(line)) return;
      kept += line;
      kept += '\n';
    });
    is_whole = kept.size() == file.text().size();
    is_beginning = file.text().starts_with(kept);
  }
  if (is_whole) return;
  if (!is_beginning) {
    write_file(path, kept);
  } else if (::truncate(path.c_str(), static_cast<off_t>(kept.size())) != 0) {
    throw io_error_from_errno("shorten", path.string());
  }
}

const fs::path& mended(const fs::path& path, const LineLog::Keep& keep) {
  mend(path, keep);
  return path;
}

}  // namespace

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  const MappedFile file = MappedFile::open(path);
  each_line(file.text(), [&lines](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

LineLog::LineLog(const fs::path& path) : LineLog(path, [](std::string_view) { return true; }) {}

LineLog::LineLog(const fs::path& path, const Keep& keep)
    : file_(mended(path, keep), AppendFile::Open::extend) {}

void LineLog::append(std::string_view line) {
  if (line.find('\n') != std::string_view::npos) {
    throw Error(ErrorKind::usage,
                "cannot log " + in_quotes(line) + " as a line: it holds a line end",
                "escape line ends, as JSON does");
  }
  std::string record(line);
  record += '\n';
  file_.append(record);
}

}  // namespace eqm
