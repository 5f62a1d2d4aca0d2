#include "eqm/data/packed_source.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/data/evenly.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

// As many examples are read for the fingerprint; other files of the same shape and labels will
// differ in one of them.
constexpr int64_t kHashedExamples = 64;

class PackedSource : public Source {
 public:
  explicit PackedSource(PackedExamples examples) : packed_(std::move(examples)) {
    check();
    record_ = packed_.bytes.size() / static_cast<size_t>(packed_.count);
    hash();
  }

  int64_t size() const override { return packed_.count; }

  Example get(int64_t index) const override {
    const std::span<const std::byte> bytes = bytes_of(index);
    return {.dtype = packed_.dtype,
            .shape = packed_.shape,
            .bytes = {bytes.begin(), bytes.end()},
            .label = packed_.labels.empty() ? kNoLabel : packed_.labels[static_cast<size_t>(index)],
            .posteriors = packed_.posteriors};
  }

  std::string name_of(int64_t index) const override {
    check_index(index, size());
    return fmt::format("{}: example {}", packed_.file, index);
  }

  const std::vector<std::string>& class_names() const override { return packed_.classes; }

  bool has_named_classes() const override {
    return packed_.classes != numbered_classes(packed_.labels);
  }

  uint64_t fingerprint() const override { return fingerprint_; }

 private:
  void check() const {
    if (packed_.count < 1) {
      throw Error(ErrorKind::input, fmt::format("{} has no examples", in_quotes(packed_.file)),
                  "an empty set cannot be learnt; make or download the file again");
    }
    const auto count = static_cast<size_t>(packed_.count);
    const std::optional<uint64_t> needed = byte_count(packed_.dtype, packed_.shape);
    if (!needed || packed_.bytes.size() % count != 0 ||
        packed_.bytes.size() / count < packed_.offset + *needed ||
        (!packed_.labels.empty() && packed_.labels.size() != count)) {
      throw Error(ErrorKind::internal, "packed examples of " + in_quotes(packed_.file) +
                                           " do not fit their count and shape");
    }
    const auto classes = static_cast<int64_t>(packed_.classes.size());
    for (size_t i = 0; i < packed_.labels.size(); ++i) {
      if (packed_.labels[i] >= 0 && packed_.labels[i] < classes) continue;
      throw Error(ErrorKind::input,
                  fmt::format("{}: example {} has label {}, but there are {} classes",
                              in_quotes(packed_.file), i, packed_.labels[i], classes),
                  "labels count from 0; the file is damaged or its class names are incomplete");
    }
  }

  std::span<const std::byte> bytes_of(int64_t index) const {
    check_index(index, size());
    return packed_.bytes.subspan(static_cast<size_t>(index) * record_ + packed_.offset,
                                 *byte_count(packed_.dtype, packed_.shape));
  }

  void hash() {
    Hash hash;
    hash.add(eqm::name_of(packed_.dtype)).add(packed_.count);
    for (const int64_t dimension : packed_.shape) hash.add(dimension);
    for (const std::string& name : packed_.classes) hash.add(name);
    for (const int64_t label : packed_.labels) hash.add(label);
    if (packed_.checksum) {
      hash.add(*packed_.checksum);
    } else {
      for (const int64_t index : evenly_spaced(packed_.count, kHashedExamples)) {
        hash.add(bytes_of(index));
      }
    }
    fingerprint_ = hash.value();
  }

  PackedExamples packed_;
  size_t record_ = 0;
  uint64_t fingerprint_ = 0;
};

}  // namespace

SourcePtr packed_source(PackedExamples examples) {
  return std::make_shared<PackedSource>(std::move(examples));
}

std::vector<std::string> numbered_classes(std::span<const int64_t> labels) {
  std::vector<std::string> names;
  if (labels.empty()) return names;
  const int64_t largest = *std::max_element(labels.begin(), labels.end());
  for (int64_t label = 0; label <= largest; ++label) names.push_back(std::to_string(label));
  return names;
}

}  // namespace eqm
