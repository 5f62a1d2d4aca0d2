#include "eqm/tensor/named_tensors.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

NamedTensors some_tensors() {
  return {{"a", torch::arange(6, torch::kFloat64).reshape({2, 3}) / 7},
          {"b.weight", torch::tensor({1.5F, -2.0F})},
          {"none", torch::zeros({0, 4})},
          {"scalar", torch::tensor(3.25, torch::kFloat64)},
          {"whole", torch::tensor({1, -5}, torch::kInt64)}};
}

NamedTensors zeros_like(const NamedTensors& tensors) {
  NamedTensors zeros;
  for (const auto& [name, tensor] : tensors) zeros.emplace_back(name, torch::zeros_like(tensor));
  return zeros;
}

class NamedTensorFile : public ::testing::Test {
 protected:
  SafetensorsFile written(const NamedTensors& tensors) {
    save_tensors(path_, tensors);
    return SafetensorsFile::open(path_);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "t.safetensors";
};

TEST_F(NamedTensorFile, gives_back_bit_for_bit_what_was_written) {
  const NamedTensors back = zeros_like(some_tensors());
  load_tensors(back, written(some_tensors()));
  EXPECT_TRUE(same_bits(back, some_tensors()));
}

TEST_F(NamedTensorFile, keeps_precisions_and_metadata) {
  save_tensors(
      path_, {{"h", torch::ones({2}, torch::kBFloat16)}, {"d", torch::ones({2}, torch::kFloat64)}},
      {{"key", "value"}});
  const SafetensorsFile file = SafetensorsFile::open(path_);
  EXPECT_EQ(file.at("h").dtype, Dtype::bf16);
  EXPECT_EQ(file.at("d").dtype, Dtype::f64);
  EXPECT_EQ(file.metadata().at("key"), "value");
}

TEST_F(NamedTensorFile, takes_views_and_weights_that_learn) {
  const Tensor table = torch::arange(12, torch::kFloat32).reshape({3, 4});
  const Tensor weight = torch::ones({2}).requires_grad_(true);
  const SafetensorsFile file = written({{"turned", table.t()}, {"weight", weight}});
  const Tensor turned = torch::zeros({3, 4}).t();  // not contiguous either
  const Tensor other = torch::zeros({2}).requires_grad_(true);
  load_tensors({{"turned", turned}, {"weight", other}}, file);
  EXPECT_TRUE(torch::equal(turned, table.t()));
  EXPECT_TRUE(torch::equal(other, weight));
  EXPECT_TRUE(other.requires_grad());
  EXPECT_TRUE(other.is_leaf());
}

TEST_F(NamedTensorFile, fills_the_tensors_themselves_in_their_own_precision) {
  const Tensor target = torch::zeros({2}, torch::kFloat32);
  const Tensor alias = target;
  load_tensors({{"x", target}}, written({{"x", torch::tensor({0.5, 0.1}, torch::kFloat64)}}));
  EXPECT_TRUE(torch::equal(alias, torch::tensor({0.5F, 0.1F})));
}

TEST_F(NamedTensorFile, that_does_not_fit_is_refused_before_anything_changes) {
  const NamedTensors good = some_tensors();
  const auto expect_refusal = [&](const std::string& part, const NamedTensors& content) {
    SCOPED_TRACE(part);
    const NamedTensors target = zeros_like(good);
    const SafetensorsFile file = written(content);
    expect_error(ErrorKind::input, part, [&] { load_tensors(target, file); });
    EXPECT_TRUE(same_bits(target, zeros_like(good)));
  };
  NamedTensors lacking = good;
  lacking.pop_back();
  expect_refusal("lacks the tensor 'whole'", lacking);
  NamedTensors more = good;
  more.emplace_back("extra", torch::ones({1}));
  expect_refusal("an unexpected tensor 'extra'", more);
  NamedTensors renamed = good;
  renamed[1].first = "b.wieght";
  expect_refusal("an unexpected tensor 'b.wieght'", renamed);
  NamedTensors reshaped = good;
  reshaped[0].second = torch::ones({3, 2});
  expect_refusal("'a' has shape [3, 2] where [2, 3] is needed", reshaped);
  NamedTensors flat = good;
  flat[3].second = torch::ones({1});
  expect_refusal("'scalar' has shape [1] where [] is needed", flat);
  expect_refusal("lacks the tensor", {});
}

TEST_F(NamedTensorFile, suggests_the_name_that_was_meant) {
  const SafetensorsFile file = written({{"b.wieght", torch::ones({2})}});
  try {
    load_tensors({{"b.weight", torch::zeros({2})}}, file);
    ADD_FAILURE() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("b.weight"), std::string::npos) << error.hint();
  }
}

TEST_F(NamedTensorFile, cannot_hold_a_name_twice) {
  expect_error(ErrorKind::usage, "x", [&] {
    save_tensors(path_, {{"x", torch::ones({1})}, {"x", torch::ones({1})}});
  });
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(NamedTensorFile, stays_as_it_was_when_the_disk_is_full) {
  written({{"x", torch::ones({1})}});
  {
    const FileSizeLimit full_disk(4096);
    expect_error(ErrorKind::io, "cannot write", [&] {
      save_tensors(path_, {{"x", torch::ones({100'000})}});
    });
  }
  EXPECT_EQ(SafetensorsFile::open(path_).at("x").shape, Shape{1});
}

}  // namespace
}  // namespace eqm::test
