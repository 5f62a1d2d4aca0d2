#include "eqm/tensor/bridge.h"

#include <cstring>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/io/safetensors_builder.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

TEST(Bridge, every_type_survives_a_file) {
  const TemporaryFolder folder;
  for (const torch::ScalarType type :
       {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16, torch::kInt64,
        torch::kInt32, torch::kInt16, torch::kInt8, torch::kUInt8, torch::kBool}) {
    const Tensor t = torch::arange(12, torch::kInt32).reshape({3, 4}).to(type);
    write_safetensors(folder / "t.safetensors", {{"t", to_view(t)}});
    const Tensor again = read_tensor(SafetensorsFile::open(folder / "t.safetensors"), "t");
    EXPECT_EQ(again.scalar_type(), type);
    EXPECT_TRUE(torch::equal(again, t)) << torch::toString(type);
  }
}

TEST(Bridge, scalars_and_empty_tensors_survive_a_file) {
  const TemporaryFolder folder;
  const Tensor scalar = torch::tensor(2.5, torch::kFloat64), empty = torch::zeros({0, 3});
  write_safetensors(folder / "t.safetensors", {{"s", to_view(scalar)}, {"e", to_view(empty)}});
  const SafetensorsFile file = SafetensorsFile::open(folder / "t.safetensors");
  EXPECT_EQ(read_tensor(file, "s").item<double>(), 2.5);
  EXPECT_EQ(read_tensor(file, "s").dim(), 0);
  EXPECT_EQ(read_tensor(file, "e").sizes(), Shape({0, 3}));
}

TEST(Bridge, shares_the_memory_of_the_file_and_of_the_tensor) {
  const TemporaryFolder folder;
  const Tensor t = torch::rand({5, 7}, torch::kFloat64);
  const TensorView view = to_view(t);
  EXPECT_EQ(static_cast<const void*>(view.bytes.data()), t.data_ptr());
  write_safetensors(folder / "t.safetensors", {{"t", view}});
  const SafetensorsFile file = SafetensorsFile::open(folder / "t.safetensors");
  EXPECT_EQ(read_tensor(file, "t").data_ptr(), static_cast<const void*>(file.at("t").bytes.data()));
}

TEST(Bridge, a_tensor_keeps_the_mapping_alive) {
  const TemporaryFolder folder;
  const Tensor t = torch::rand({1000});
  write_safetensors(folder / "t.safetensors", {{"t", to_view(t)}});
  Tensor again;
  std::weak_ptr<const MappedFile> mapping;
  {
    const SafetensorsFile file = SafetensorsFile::open(folder / "t.safetensors");
    mapping = file.mapping();
    again = read_tensor(file, "t");
  }
  std::filesystem::remove(folder / "t.safetensors");
  EXPECT_FALSE(mapping.expired());
  EXPECT_TRUE(torch::equal(again, t));
  again = Tensor();
  EXPECT_TRUE(mapping.expired());  // and no longer than needed
}

TEST(Bridge, misaligned_memory_is_copied) {
  auto bytes = std::make_shared<std::vector<std::byte>>(8 * 4 + 1);
  const std::vector<double> values = {1, 2, 3, 4};
  for (const size_t offset : {0U, 1U}) {
    std::memcpy(bytes->data() + offset, values.data(), 32);
    const TensorView view = {
        .dtype = Dtype::f64, .shape = {4}, .bytes = {bytes->data() + offset, 32}};
    const Tensor t = to_tensor(view, bytes);
    EXPECT_TRUE(torch::equal(t, torch::tensor(values, torch::kFloat64)));
    EXPECT_EQ(t.data_ptr() == static_cast<void*>(bytes->data() + offset), offset == 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(t.data_ptr()) % 8, 0U);
  }
}

TEST(Bridge, types_without_a_tensor_are_input_errors) {
  const std::string file =
      file_of(fmt::format("{{{}}}", entry("t", "U64", "[1]", "[0,8]")), "12345678");
  const SafetensorsFile parsed = parse(file);
  expect_input_error("U64", [&] { read_tensor(parsed, "t"); });
}

TEST(Bridge, only_contiguous_tensors_can_be_viewed) {
  const Tensor t = torch::rand({3, 4}).t();
  expect_error(ErrorKind::internal, "contiguous", [&] { to_view(t); });
  expect_error(ErrorKind::internal, "cannot be written",
               [] { to_view(torch::zeros({1}, torch::kComplexDouble)); });
}

}  // namespace
}  // namespace eqm::test
