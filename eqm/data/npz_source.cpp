#include "eqm/data/npz_source.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/data/map_source.h"
#include "eqm/data/packed_source.h"
#include "eqm/data/pixels.h"
#include "eqm/data/stored_labels.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/image.h"
#include "eqm/io/npz.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr const char* kPictures = "arr_0";
constexpr const char* kLabels = "arr_1";
constexpr uint64_t kMostLabelBytes = uint64_t{1} << 30;

[[noreturn]] void refuse_pictures(const std::string& file, const std::string& problem,
                                  const std::string& hint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(file), problem), hint);
}

void require_pictures(const NpzFile& file, const std::string& name) {
  if (!file.contains(kPictures)) {
    const bool statistics = file.contains("mu") && file.contains("sigma");
    refuse_pictures(name,
                    statistics ? "holds statistics of pictures, but no pictures (arr_0)"
                               : "holds no pictures: there is no array arr_0",
                    statistics ? "evaluate takes it as its {reference}"
                               : "samples for evaluation are arr_0, bytes [n, height, width, 3]");
  }
  const NpyHeader header = file.array(kPictures).header();
  const std::vector<int64_t>& shape = header.shape;
  const bool fits = header.dtype == Dtype::u8 && !header.fortran_order && shape.size() == 4 &&
                    (shape[3] == 1 || shape[3] == 3);
  if (!fits) {
    refuse_pictures(
        name,
        fmt::format("has {} [{}]{} in arr_0, which is not pictures", eqm::name_of(header.dtype),
                    fmt::join(shape, ", "), header.fortran_order ? " by columns" : ""),
        "pictures are bytes (uint8) [n, height, width, 3 or 1], row by row");
  }
  const auto pixels = element_count(std::array{shape[1], shape[2]});
  if (!pixels || *pixels > kMaxImagePixels) {
    refuse_pictures(name, "claims pictures larger than any that are read",
                    std::string(kDamagedFileHint));
  }
  if (std::ranges::find(shape, 0) != shape.end()) {
    refuse_pictures(name, "has no pictures in arr_0",
                    "an empty set cannot be looked at; make it again");
  }
}

// Interleaved channels as planes.
Example as_planes(const Example& example) {
  const int64_t channels = example.shape[2];
  Image image = {.width = static_cast<int>(example.shape[1]),
                 .height = static_cast<int>(example.shape[0]),
                 .channels = static_cast<int>(channels),
                 .pixels = {}};
  const auto* first = reinterpret_cast<const uint8_t*>(example.bytes.data());
  image.pixels.assign(first, first + example.bytes.size());
  return example_from_image(image, channels, example.label);
}

// Pictures that are unpacked as they are asked for, one after the other.
class StreamedNpz final : public Source {
 public:
  StreamedNpz(NpzFile file, std::string name, std::vector<int64_t> labels)
      : file_(std::move(file)),
        name_(std::move(name)),
        labels_(std::move(labels)),
        classes_(numbered_classes(labels_)) {
    const NpyReader reader = file_.array(kPictures);
    shape_ = reader.header().shape;
    Hash hash;
    hash.add("npz").add(reader.checksum());
    for (const int64_t size : shape_) hash.add(size);
    for (const int64_t label : labels_) hash.add(label);
    fingerprint_ = hash.value();
  }

  int64_t size() const override { return shape_[0]; }

  Example get(int64_t index) const override {
    check_index(index, size());
    Example example = {.dtype = Dtype::u8,
                       .shape = {shape_.begin() + 1, shape_.end()},
                       .bytes = {},
                       .label = labels_.empty() ? kNoLabel : labels_[static_cast<size_t>(index)]};
    example.bytes.resize(*byte_count(Dtype::u8, example.shape));
    const std::scoped_lock lock(mutex_);
    try {
      if (!reader_ || next_ > index) {
        reader_.emplace(file_);
        next_ = 0;
      }
      for (; next_ <= index; ++next_) reader_->read(example.bytes);
    } catch (...) {
      reader_.reset();
      throw;
    }
    return example;
  }

  std::string name_of(int64_t index) const override {
    check_index(index, size());
    return fmt::format("{}: example {}", name_, index);
  }
  const std::vector<std::string>& class_names() const override { return classes_; }
  bool has_named_classes() const override { return false; }
  uint64_t fingerprint() const override { return fingerprint_; }

 private:
  // Readers cannot be moved; this makes one in its place.
  struct Reader {
    explicit Reader(const NpzFile& file) : array(file.array(kPictures)) {}
    void read(std::span<std::byte> out) { array.read(out); }
    NpyReader array;
  };

  NpzFile file_;
  std::string name_;
  std::vector<int64_t> labels_;
  std::vector<std::string> classes_;
  std::vector<int64_t> shape_;
  uint64_t fingerprint_ = 0;
  mutable std::mutex mutex_;
  mutable std::optional<Reader> reader_;
  mutable int64_t next_ = 0;
};

}  // namespace

SourcePtr open_npz_source(const std::filesystem::path& path, const NpzSourceOptions& options) {
  const std::string name = path.string();
  NpzFile file = NpzFile::open(path);
  require_pictures(file, name);
  const std::vector<int64_t> shape = file.array(kPictures).header().shape;
  std::vector<int64_t> labels;
  if (file.contains(kLabels)) {
    labels = stored_labels(file.read(kLabels, kMostLabelBytes).view(), shape[0], name);
  }
  const std::optional<std::span<const std::byte>> in_place = file.array(kPictures).in_place();
  const bool small = file.array(kPictures).left() <= options.most_in_memory;
  if (!small && !in_place) {
    return map_source(std::make_shared<StreamedNpz>(std::move(file), name, std::move(labels)),
                      "planes", as_planes);
  }
  PackedExamples packed = {.file = name,
                           .dtype = Dtype::u8,
                           .shape = {shape.begin() + 1, shape.end()},
                           .count = shape[0],
                           .bytes = {},
                           .labels = labels,
                           .classes = numbered_classes(labels),
                           .owner = file.mapping()};
  if (small) {
    auto array = std::make_shared<const NpyArray>(file.read(kPictures, options.most_in_memory));
    packed.bytes = array->bytes;
    packed.owner = array;
  } else {
    packed.bytes = *in_place;
  }
  return map_source(packed_source(std::move(packed)), "planes", as_planes);
}

}  // namespace eqm
