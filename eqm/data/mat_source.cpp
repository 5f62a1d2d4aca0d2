#include "eqm/data/mat_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/data/map_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/packed_source.h"
#include "eqm/data/stored_labels.h"
#include "eqm/io/image.h"
#include "eqm/io/mat.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMatImages = "X";
constexpr const char* kMatLabels = "y";

// SVHN's largest part has 1.6 GB.
constexpr uint64_t kMostMatImageBytes = uint64_t{1} << 33;
constexpr uint64_t kMostMatLabelBytes = uint64_t{1} << 30;

fs::path svhn_file(const fs::path& folder, Split split) {
  return folder / (split == Split::train ? "train_32x32.mat" : "test_32x32.mat");
}

const MatVariable& images_of(const MatFile& file, const std::string& name) {
  const std::string hint =
      "images are X, bytes (uint8) [height, width, 3 or 1, n], as SVHN's files of cropped digits "
      "have them";
  const MatVariable* images = file.find(kMatImages);
  if (images == nullptr) {
    throw Error(ErrorKind::input, in_quotes(name) + " holds no images: there is no variable X",
                hint);
  }
  const std::vector<int64_t>& shape = images->shape;
  const bool fits = images->dtype == Dtype::u8 && shape.size() == 4 &&
                    (shape[2] == 1 || shape[2] == 3) && std::ranges::find(shape, 0) == shape.end();
  const auto pixels = fits ? element_count(std::array{shape[0], shape[1]}) : std::nullopt;
  if (pixels && *pixels <= kMaxImagePixels) return *images;
  throw Error(ErrorKind::input,
              fmt::format("{} has {} [{}] in X, which is not images", in_quotes(name),
                          images->dtype ? name_of(*images->dtype) : "other things than numbers",
                          fmt::join(shape, ", ")),
              hint);
}

// MATLAB's numbers are doubles unless told otherwise.
std::vector<int64_t> wholes_of(std::span<const std::byte> bytes, size_t count,
                               const std::string& name) {
  std::vector<int64_t> wholes;
  for (size_t i = 0; i < count; ++i) {
    const auto value = number_at<double>(bytes, i);
    if (!(value >= 0 && value < static_cast<double>(kMaxClasses)) || value != std::floor(value)) {
      throw Error(ErrorKind::input,
                  fmt::format("{} gives example {} the label {}", in_quotes(name), i, value),
                  "labels are whole numbers, one for each example");
    }
    wholes.push_back(static_cast<int64_t>(value));
  }
  return wholes;
}

std::vector<int64_t> labels_of(const MatFile& file, int64_t count, const std::string& name) {
  const MatVariable* variable = file.find(kMatLabels);
  if (variable == nullptr) return {};
  if (element_count(variable->shape) != static_cast<uint64_t>(count)) {
    throw Error(ErrorKind::input,
                fmt::format("{} has labels y [{}] for {} images", in_quotes(name),
                            fmt::join(variable->shape, ", "), count),
                "labels are whole numbers, one for each example");
  }
  const std::vector<std::byte> bytes = file.read(*variable, kMostMatLabelBytes);
  std::vector<int64_t> labels =
      *variable->dtype == Dtype::f64
          ? wholes_of(bytes, static_cast<size_t>(count), name)
          : stored_labels({.dtype = *variable->dtype, .shape = {count}, .bytes = bytes}, count,
                          name);
  const auto [least, most] = std::ranges::minmax(labels);
  if (least >= 1 && most <= 10) {
    for (int64_t& label : labels) label %= 10;
  }
  return labels;
}

// From columns [C, W, H] to rows [C, H, W].
Example by_rows(const Example& columns) {
  const auto channels = static_cast<size_t>(columns.shape[0]),
             width = static_cast<size_t>(columns.shape[1]),
             height = static_cast<size_t>(columns.shape[2]);
  Example rows = columns;
  std::swap(rows.shape[1], rows.shape[2]);
  for (size_t c = 0; c < channels; ++c) {
    const size_t plane = c * width * height;
    for (size_t w = 0; w < width; ++w) {
      for (size_t h = 0; h < height; ++h) {
        rows.bytes[plane + h * width + w] = columns.bytes[plane + w * height + h];
      }
    }
  }
  return rows;
}

// As many as there are digits, so that parts agree.
std::vector<std::string> digits_or_numbers(std::span<const int64_t> labels) {
  std::vector<std::string> classes = numbered_classes(labels);
  while (!classes.empty() && classes.size() < 10) classes.push_back(std::to_string(classes.size()));
  return classes;
}

}  // namespace

bool is_svhn_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(svhn_file(folder, Split::train), ignored) ||
         fs::exists(svhn_file(folder, Split::test), ignored);
}

SourcePtr open_svhn_folder(const fs::path& folder, Split split) {
  const fs::path file = svhn_file(folder, split);
  std::error_code ignored;
  if (fs::exists(file, ignored)) return open_mat_source(file);
  throw MissingPart(
      fmt::format("{} has no {} part", in_quotes(folder.string()), name_in(split_names(), split)),
      "expected in it: " + file.filename().string());
}

SourcePtr open_mat_source(const fs::path& path) {
  const std::string name = path.string();
  const MatFile file = MatFile::open(path);
  const MatVariable& images = images_of(file, name);
  const int64_t count = images.shape[3];
  std::vector<int64_t> labels = labels_of(file, count, name);
  require_memory(static_cast<double>(images.bytes), "save fewer images in the file");
  auto bytes =
      std::make_shared<const std::vector<std::byte>>(file.read(images, kMostMatImageBytes));
  std::vector<std::string> classes = digits_or_numbers(labels);
  return map_source(packed_source({.file = name,
                                   .dtype = Dtype::u8,
                                   .shape = {images.shape[2], images.shape[1], images.shape[0]},
                                   .count = count,
                                   .bytes = *bytes,
                                   .labels = std::move(labels),
                                   .classes = std::move(classes),
                                   .owner = bytes}),
                    "rows", by_rows);
}

}  // namespace eqm
