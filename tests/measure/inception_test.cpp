// Inception against golden features, in both conventions and precisions.
#include "eqm/measure/inception.h"

#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/measure/inception_input.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"
#include "tests/support/made_inception.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

std::map<std::string, Tensor> made_tensors() {
  std::map<std::string, Tensor> tensors;
  for (const MadeWeights& item : made_inception()) {
    tensors[item.name] = torch::tensor(item.values).view(item.shape);
  }
  return tensors;
}

TEST(Inception, has_the_names_and_shapes_of_the_file) {
  const nlohmann::json names = inception_json("fid_inception_param_names.json").at("tensors");
  const std::map<std::string, Shape> own = Inception::weight_shapes();
  EXPECT_EQ(own.size(), names.size());
  for (const auto& [name, shape] : own) EXPECT_EQ(names.at(name), shape) << name;
}

TEST(Inception, golden_weights_follow_from_the_formula) {
  const nlohmann::json check = inception_json("inception.weights_check.json").at("check");
  const std::map<std::string, Tensor> made = made_tensors();
  for (const auto& [name, expected] : check.items()) {
    if (!made.contains(name)) continue;
    const Tensor values = made.at(name).flatten().to(torch::kFloat64);
    EXPECT_EQ(values[0].item<double>(), expected.at("first4")[0].get<double>()) << name;
    EXPECT_EQ(values[-1].item<double>(), expected.at("last").get<double>()) << name;
    EXPECT_NEAR(values.square().sum().item<double>(), expected.at("sumsq_f64").get<double>(),
                1e-9 * expected.at("sumsq_f64").get<double>())
        << name;
  }
}

// "img0", "img1", ...
std::set<std::string> pictures_in(const SafetensorsFile& file) {
  std::set<std::string> pictures;
  for (const std::string& name : file.names()) {
    if (name.ends_with(".u8_hwc")) pictures.insert(name.substr(0, name.find('.')));
  }
  return pictures;
}

struct GoldenConvention {
  const char* name;
  InceptionConvention convention;
};
constexpr GoldenConvention kConventions[] = {{"pytorchfid", InceptionConvention::pytorch_fid},
                                             {"adm", InceptionConvention::adm}};

Tensor pixels_of(const SafetensorsFile& file, const std::string& picture) {
  return read_tensor(file, picture + ".u8_hwc").permute({2, 0, 1}).unsqueeze(0).contiguous();
}

// A name of the golden file says f32 or f64: the latter is the better reference for both runs, but
// the positions of TensorFlow's resize differ with the precision.
class GoldenInception : public ::testing::TestWithParam<torch::ScalarType> {
 protected:
  void expect(const SafetensorsFile& file, const std::string& name, const Tensor& actual,
              double float32_limit) const {
    const bool wide = GetParam() == torch::kFloat64;
    const std::string stored = name + (wide ? "_f64" : "_f32");
    if (!file.contains(stored)) return;
    const Tensor expected = read_tensor(file, stored);
    EXPECT_TRUE(close(actual.view(expected.sizes()), expected, wide ? 1e-10 : float32_limit))
        << stored;
    ++compared_;
  }

  mutable int compared_ = 0;
};

TEST_P(GoldenInception, agrees_with_features_logits_and_inputs) {
  const Inception network(made_tensors(), torch::TensorOptions().dtype(GetParam()));
  for (const auto& path : golden_files("nets/inception")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    const Tensor places = read_tensor(file, "sub_index");
    for (const std::string& picture : pictures_in(file)) {
      const Tensor pixels = pixels_of(file, picture);
      for (const auto& [name, convention] : kConventions) {
        const std::string prefix = picture + "." + name + ".";
        const Tensor input = inception_input(pixels, convention, network.type());
        const Tensor some = input.index_select(2, places).index_select(3, places);
        expect(file, prefix + "resized_sub", some, 5e-5);
        expect(file, prefix + "resized_chmean", input.mean({2, 3}), 5e-5);
        const InceptionOutput output = network.forward(input);
        for (size_t i = 0; i < output.stages.size(); ++i) {
          expect(file, fmt::format("{}block{}_chmean", prefix, i), output.stages[i], 1e-5);
        }
        expect(file, prefix + "pool", output.pool, 1e-5);
        expect(file, prefix + "spatial", output.spatial, 5e-5);
        const Tensor logits = network.logits(output.pool);
        expect(file, prefix + "logits_nobias", logits, 1e-5);
        expect(file, prefix + "logits_bias", logits + network.logit_bias(), 1e-5);
        expect(file, prefix + "probs_nobias", logits.softmax(1), 1e-4);
      }
    }
  }
  EXPECT_GT(compared_, 0);
}

INSTANTIATE_TEST_SUITE_P(Precisions, GoldenInception, ::testing::ValuesIn(kPrecisions),
                         [](const auto& precision) { return torch::toString(precision.param); });

}  // namespace
}  // namespace eqm::test
