#include "eqm/data/open_path.h"

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "eqm/base/error.h"
#include "eqm/data/folder_source.h"
#include "eqm/data/formats.h"
#include "eqm/data/missing_part.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// "train.tar.gz" and the like.
std::optional<fs::path> part_in(const fs::path& folder, Split split) {
  const std::vector<std::string> names =
      split == Split::test ? test_part_names() : std::vector<std::string>{"train"};
  for (const std::string& name : names) {
    for (const DataFormat& format : data_formats()) {
      for (const std::string_view ending : format.part_endings) {
        const fs::path part = folder / (name + std::string(ending));
        std::error_code ignored;
        if (fs::exists(part, ignored)) return part;
      }
    }
  }
  return std::nullopt;
}

[[noreturn]] void refuse_path(const fs::path& path, std::string_view problem,
                              const std::string& hint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(path.string()), problem), hint);
}

const DataFormat& format_of_file(const fs::path& path) {
  for (const DataFormat& format : data_formats()) {
    if (!format.file_ending.empty() && path.extension() == format.file_ending) return format;
  }
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::picture) {
    refuse_path(path, "is one picture, not a set", "name the folder it is in");
  }
  for (const DataFormat& format : data_formats()) {
    if (kind != FileKind::unknown && format.file_kind == kind) return format;
  }
  refuse_path(path, "is not a data set that can be read", "give " + readable_formats());
}

SourcePtr open_file(const fs::path& path, const ImageSourceOptions& options) {
  ImageSourceOptions whole = options;
  whole.split = Split::train;
  if (options.split == Split::test) {
    if (const fs::path test = test_part_beside(path); !test.empty()) return open_file(test, whole);
  }
  const DataFormat& format = format_of_file(path);
  if (options.split == Split::test && !format.file_has_parts) {
    throw MissingPart(in_quotes(path.string()) + " has no test part", "name its file itself");
  }
  return format.open_file(path, options);
}

SourcePtr open_folder(const fs::path& path, const ImageSourceOptions& options) {
  for (const DataFormat& format : data_formats()) {
    if (format.is_folder != nullptr && format.is_folder(path)) {
      return format.open_folder(path, options);
    }
  }
  if (const auto part = part_in(path, options.split)) {
    ImageSourceOptions whole = options;
    whole.split = Split::train;
    return open_file(*part, whole);
  }
  return open_folder_source(path, options);
}

}  // namespace

SourcePtr open_path(const fs::path& path, const ImageSourceOptions& options) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw io_error_from_errno("open", path.string());
  if (!S_ISDIR(status.st_mode)) return open_file(path, options);
  return open_folder(path.has_filename() ? path : path.parent_path(), options);  // without a slash
}

}  // namespace eqm
