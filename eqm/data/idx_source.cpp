#include "eqm/data/idx_source.h"

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/packed_source.h"
#include "eqm/io/idx.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& fashion_names() {
  static const std::vector<std::string> names = {"t-shirt", "trouser",   "pullover", "dress",
                                                 "coat",    "sandal",    "shirt",    "sneaker",
                                                 "bag",     "ankle boot"};
  return names;
}

// The path itself, or the same with or without ".gz": whichever is there.
std::optional<fs::path> plain_or_gzipped(const fs::path& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  fs::path other = path;
  if (path.extension() == ".gz") {
    other.replace_extension();
  } else {
    other += ".gz";
  }
  if (fs::exists(other, ignored)) return other;
  return std::nullopt;
}

// Nothing when the name does not follow the custom; then labels are not to be expected.
std::optional<fs::path> labels_name_of(const fs::path& images) {
  std::string name = images.filename().string();
  for (const char* separator : {"-", "."}) {
    const std::string part = fmt::format("images{}idx3", separator);
    const size_t at = name.rfind(part);
    if (at == std::string::npos) continue;
    name.replace(at, part.size(), fmt::format("labels{}idx1", separator));
    return images.parent_path() / name;
  }
  return std::nullopt;
}

std::vector<int64_t> read_labels(const fs::path& path) {
  const IdxArray array = read_idx(path, 1);
  std::vector<int64_t> labels;
  labels.reserve(array.elements().size());
  for (const std::byte label : array.elements()) labels.push_back(std::to_integer<int64_t>(label));
  return labels;
}

bool is_fashion(const fs::path& images) {
  std::error_code failed;
  const fs::path whole = fs::absolute(images, failed).lexically_normal();
  return !failed && whole.parent_path().filename().string().find("fashion") != std::string::npos;
}

std::vector<std::string> class_names_of(const fs::path& images, std::span<const int64_t> labels) {
  std::vector<std::string> numbers = numbered_classes(labels);
  const bool fits = !numbers.empty() && numbers.size() <= fashion_names().size();
  return fits && is_fashion(images) ? fashion_names() : numbers;
}

}  // namespace

std::optional<fs::path> find_idx_images(const fs::path& folder, Split split) {
  const std::string part = split == Split::train ? "train" : "t10k";
  for (const char* separator : {"-", "."}) {
    const std::string name = fmt::format("{}-images{}idx3-ubyte", part, separator);
    if (auto found = plain_or_gzipped(folder / name)) return found;
  }
  return std::nullopt;
}

SourcePtr open_idx_folder(const fs::path& folder, Split split) {
  const std::optional<fs::path> images = find_idx_images(folder, split);
  if (!images) {
    throw MissingPart(
        fmt::format("{} has no IDX images of its {} part", in_quotes(folder.string()),
                    name_in(split_names(), split)),
        "expected train-images-idx3-ubyte or t10k-images-idx3-ubyte, with .gz or not");
  }
  return open_idx_file(*images);
}

SourcePtr open_idx_file(const fs::path& path) {
  auto images = std::make_shared<const IdxArray>(read_idx(path, 3));
  std::vector<int64_t> labels;
  if (const std::optional<fs::path> name = labels_name_of(path)) {
    const std::optional<fs::path> found = plain_or_gzipped(*name);
    if (!found) {
      throw Error(ErrorKind::input,
                  fmt::format("the labels of {} are missing", in_quotes(path.string())),
                  "expected beside it: " + name->filename().string());
    }
    labels = read_labels(*found);
    if (static_cast<int64_t>(labels.size()) != images->shape[0]) {
      throw Error(
          ErrorKind::input,
          fmt::format("{} has {} labels for the {} images of {}", in_quotes(found->string()),
                      labels.size(), images->shape[0], in_quotes(path.filename().string())),
          "the two files are not of the same set; download both again");
    }
  }
  if (images->elements().empty()) {
    throw Error(ErrorKind::input, in_quotes(path.string()) + " has no pixels",
                "an empty set cannot be learnt; download the file again");
  }
  std::vector<std::string> classes = class_names_of(path, labels);
  return packed_source({.file = path.string(),
                        .dtype = Dtype::u8,
                        .shape = {1, images->shape[1], images->shape[2]},
                        .count = images->shape[0],
                        .bytes = images->elements(),
                        .labels = std::move(labels),
                        .classes = std::move(classes),
                        .owner = images});
}

}  // namespace eqm
