#include "eqm/data/made_images.h"

#include <utility>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/base/noise.h"
#include "eqm/data/check_index.h"

namespace eqm {
namespace {

class MadeSource : public Source {
 public:
  MadeSource(MadeImages kind, int64_t count, const PlaneSize& size)
      : kind_(kind), count_(count), size_(size) {}

  int64_t size() const override { return count_; }

  Example get(int64_t index) const override {
    check_index(index, count_);
    const int64_t plane = size_.height * size_.width;
    const bool constant = kind_ == MadeImages::constant;
    std::vector<double> levels(static_cast<size_t>(size_.channels * (constant ? 1 : plane)));
    fill_uniform({.seed = kMadeImagesSeed,
                  .sample = static_cast<uint64_t>(index),
                  .draw = static_cast<uint32_t>(kind_)},
                 levels);
    Example example = {.shape = {size_.channels, size_.height, size_.width}, .bytes = {}};
    for (const double level : levels) {
      const auto byte = static_cast<std::byte>(static_cast<int>(level * 256));
      example.bytes.insert(example.bytes.end(), static_cast<size_t>(constant ? plane : 1), byte);
    }
    return example;
  }

  std::string name_of(int64_t index) const override {
    return fmt::format("{} {}", name_in(made_image_names(), kind_), index);
  }
  const std::vector<std::string>& class_names() const override { return no_classes_; }
  uint64_t fingerprint() const override {
    return Hash()
        .add(name_in(made_image_names(), kind_))
        .add(count_)
        .add(size_.channels)
        .add(size_.height)
        .add(size_.width)
        .value();
  }

 private:
  MadeImages kind_;
  int64_t count_;
  PlaneSize size_;
  std::vector<std::string> no_classes_;
};

}  // namespace

const Names<MadeImages>& made_image_names() {
  static const Names<MadeImages> names = {{"constant", MadeImages::constant},
                                          {"noise", MadeImages::noise}};
  return names;
}

SourcePtr made_images(MadeImages kind, int64_t count, const PlaneSize& size) {
  if (count < 1 || size.channels < 1 || size.height < 1 || size.width < 1) {
    throw Error(ErrorKind::usage,
                fmt::format("there are no {} images of {} x {} x {} to be made", count,
                            size.channels, size.height, size.width),
                "ask for at least one of at least one pixel");
  }
  return std::make_shared<MadeSource>(kind, count, size);
}

}  // namespace eqm
