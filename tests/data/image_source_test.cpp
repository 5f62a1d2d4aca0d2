#include "eqm/data/image_source.h"

#include <gtest/gtest.h>

namespace eqm {
namespace {

struct Counts {
  int decoded = 0;
  int headers = 0;
};

// Pictures of one pixel, grey but for the last, that count what is asked of them.
class CountedFiles final : public ImageFiles {
 public:
  CountedFiles(size_t count, Counts& counts) : count_(count), counts_(counts) {}

  Image decode(size_t file) const override {
    ++counts_.decoded;
    const int channels = channels_of(file);
    return {1, 1, channels, std::vector<uint8_t>(static_cast<size_t>(channels), 7)};
  }
  ImageHeader header(size_t file) const override {
    ++counts_.headers;
    return {.width = 1, .height = 1, .channels = channels_of(file)};
  }
  std::string name_of(size_t file) const override { return std::to_string(file); }
  uint64_t bytes_of(size_t) const override { return 1; }

 private:
  int channels_of(size_t file) const { return file + 1 == count_ ? 3 : 1; }

  size_t count_;
  Counts& counts_;
};

TEST(ImageSource, decodes_nothing_before_it_is_asked_for) {
  Counts counts;
  const std::vector<std::string> paths = {"a.png", "b.png", "c.png"};
  const SourcePtr source =
      image_source(std::make_unique<CountedFiles>(paths.size(), counts), paths, "made", {});
  EXPECT_EQ(counts.decoded, 0);
  EXPECT_EQ(counts.headers, 3);
  EXPECT_EQ(source->get(0).shape, (std::vector<int64_t>{3, 1, 1}));  // as the last is coloured
  EXPECT_EQ(counts.decoded, 1);
}

}  // namespace
}  // namespace eqm
