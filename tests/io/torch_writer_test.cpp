#include "eqm/io/torch_writer.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/byte_cursor.h"
#include "eqm/io/torch_file.h"
#include "eqm/io/weights_file.h"
#include "eqm/io/zip_reader.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using Sizes = std::vector<int64_t>;

TEST(TorchWriter, writes_what_the_reader_of_checkpoints_reads) {
  const test::TemporaryFolder folder;
  const std::vector<float> numbers = {1, -2, 3.5F, 4, 5, 6};
  const std::vector<uint16_t> halves = {0x3c00, 0xc000};  // 1, -2
  const std::vector<int64_t> whole = {7};
  const auto bytes = [](const auto& values) { return std::as_bytes(std::span(values)); };
  write_torch_file(folder / "a.pt",
                   {{"block.weight", {Dtype::f32, {2, 3}, bytes(numbers)}},
                    {"half", {Dtype::f16, {2}, bytes(halves)}},
                    {"scalar", {Dtype::i64, {}, bytes(whole)}},
                    {"empty", {Dtype::f32, {0, 4}, {}}}},
                   {{"eqm", "a card"}});
  const WeightsFile file = WeightsFile::open(folder / "a.pt", WeightsChoice::automatic);
  ASSERT_EQ(file.tensors().size(), 4u);  // by name
  EXPECT_EQ(file.tensors()[0].name, "block.weight");
  EXPECT_EQ(file.tensors()[0].view.shape, (Sizes{2, 3}));
  EXPECT_EQ(file.tensors()[0].view.strides, (Sizes{3, 1}));
  EXPECT_EQ(0, std::memcmp(file.tensors()[0].view.bytes.data(), numbers.data(), 24));
  EXPECT_EQ(file.tensors()[1].view.shape, (Sizes{0, 4}));
  EXPECT_EQ(file.tensors()[2].view.dtype, Dtype::f16);
  EXPECT_EQ(file.tensors()[3].view.shape, Sizes{});
  for (const NamedWeights& item : file.tensors()) file.check(item);
  EXPECT_EQ(file.metadata().at("eqm"), "a card");
}

TEST(TorchWriter, lays_storages_out_as_pytorch_does) {
  const test::TemporaryFolder folder;
  const std::string content(100, 'x');
  const auto bytes = std::as_bytes(std::span(content));
  std::vector<NamedTensor> tensors;
  for (int i = 0; i < 12; ++i) {
    tensors.push_back({std::string(static_cast<size_t>(i + 1), 'n'), {Dtype::u8, {100}, bytes}});
  }
  write_torch_file(folder / "a.pt", tensors);
  const MappedFile mapping = MappedFile::open(folder / "a.pt");
  const ZipFile zip = ZipFile::parse(mapping.bytes(), "a.pt");
  EXPECT_EQ(zip.entries().front().name, "archive/data.pkl");
  ASSERT_NE(zip.find("archive/version"), nullptr);
  EXPECT_EQ(eqm::text_of(zip.find("archive/version")->packed), "3\n");
  EXPECT_EQ(eqm::text_of(zip.find("archive/byteorder")->packed), "little");
  for (int i = 0; i < 12; ++i) {
    const ZipEntry* entry = zip.find("archive/data/" + std::to_string(i));
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ((entry->packed.data() - mapping.bytes().data()) % 64, 0) << i;
    EXPECT_EQ(entry->packed.size(), 100u);
  }
}

TEST(TorchWriter, refuses_what_pytorch_could_not_load) {
  const test::TemporaryFolder folder;
  const std::vector<uint8_t> values = {1, 2};
  const auto bytes = std::as_bytes(std::span(values));
  const auto refused = [&](const std::vector<NamedTensor>& tensors, const std::string& part) {
    test::expect_error(ErrorKind::usage, part, [&] { write_torch_file(folder / "a.pt", tensors); });
    EXPECT_FALSE(std::filesystem::exists(folder / "a.pt"));
  };
  const TensorView two = {Dtype::u8, {2}, bytes};
  refused({{"a", two}, {"a", two}}, "twice");
  refused({{"\xff", two}}, "UTF-8");
  refused({{"a", {Dtype::u16, {1}, bytes}}}, "no storage of U16");
  refused({{"a", {Dtype::u8, {3}, bytes}}}, "disagree");
}

}  // namespace
}  // namespace eqm
