// Inception against golden features, in both conventions and precisions.
#include "eqm/measure/inception.h"

#include <limits>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/data/memory_source.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/measure/inception_features.h"
#include "eqm/measure/set_evaluation.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"
#include "tests/support/made_inception.h"
#include "tests/support/normal.h"
#include "tests/support/pickle_builder.h"
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

enum class TorchForm { zip, legacy };

// As torch.save writes a state dictionary, since PyTorch 1.6 or before.
std::string torch_file_of(const std::vector<MadeWeights>& weights,
                          TorchForm form = TorchForm::zip) {
  std::vector<std::pair<std::string, std::string>> items;
  std::map<std::string, std::string> storages;
  pickled::Parts keys;
  std::vector<std::pair<int64_t, std::string>> in_order;
  for (const MadeWeights& item : weights) {
    keys.push_back(std::to_string(keys.size()));
    const auto count = static_cast<int64_t>(item.values.size());
    std::vector<int64_t> strides(item.shape.size(), 1);
    for (size_t i = item.shape.size(); i-- > 1;) strides[i - 1] = strides[i] * item.shape[i];
    items.emplace_back(item.name,
                       pickled::tensor(pickled::storage("FloatStorage", keys.back(), count), 0,
                                       item.shape, strides));
    const std::string bytes(text_of(std::as_bytes(std::span(item.values))));
    if (form == TorchForm::zip) storages[keys.back()] = bytes;
    if (form == TorchForm::legacy) in_order.emplace_back(count, bytes);
  }
  return form == TorchForm::zip ? pickled::torch_zip(pickled::dict(items), storages)
                                : pickled::torch_legacy(pickled::dict(items), keys, in_order);
}

TEST(Inception, comes_from_every_kind_of_file_and_no_other_weights) {
  const TemporaryFolder folder;
  std::vector<MadeWeights> weights = made_inception();
  const torch::TensorOptions type;
  write_made_inception(folder / "a.safetensors");
  write_file(folder / "a.pth", torch_file_of(weights));
  const Inception safe = Inception::load(folder / "a.safetensors", type);
  EXPECT_EQ(safe.fingerprint(), Inception::load(folder / "a.pth", type).fingerprint());
  write_file(folder / "a.pth", torch_file_of(weights, TorchForm::legacy));
  EXPECT_EQ(safe.fingerprint(), Inception::load(folder / "a.pth", type).fingerprint());

  const auto refused = [&](const std::string& part) {
    write_file(folder / "b.pth", torch_file_of(weights));
    expect_input_error(part, [&] { Inception::load(folder / "b.pth", type); });
  };
  weights.push_back({"Conv2d_1a_3x3.bn.num_batches_tracked", {1}, {7}});
  write_file(folder / "b.pth", torch_file_of(weights));
  EXPECT_EQ(Inception::load(folder / "b.pth", type).fingerprint(), safe.fingerprint())
      << "counters say nothing";
  weights.pop_back();
  weights.front().values[0] += 1;
  write_file(folder / "b.pth", torch_file_of(weights));
  EXPECT_NE(Inception::load(folder / "b.pth", type).fingerprint(), safe.fingerprint());
  for (MadeWeights& item : weights) {  // as torchvision's
    if (item.name == "fc.bias") item = {item.name, {1000}, std::vector<float>(1000)};
  }
  refused("fc.bias has shape [1000], not [1008]");
  std::erase_if(weights, [](const MadeWeights& item) { return item.name == "fc.bias"; });
  refused("fc.bias is missing");
  write_file(folder / "text.pth", std::string("no weights at all"));
  expect_input_error("text.pth", [&] { Inception::load(folder / "text.pth", type); });
}

TEST(InceptionFeatures, looks_at_pictures_of_any_size_in_its_convention) {
  const Inception network(made_tensors(), torch::kFloat32);
  const InceptionFeatures adm(network, InceptionConvention::adm),
      fid(network, InceptionConvention::pytorch_fid);
  EXPECT_NE(adm.identity(), fid.identity());
  EXPECT_FALSE(adm.picture_shape());
  const Tensor grey = (normal(1, 17, {1, 9, 14}) * 60 + 127).clamp(0, 255).to(torch::kUInt8);
  const FeatureNet::Opinion opinion = adm.of(grey);
  EXPECT_EQ(opinion.features.sizes(), Shape({17, 2048}));
  EXPECT_EQ(opinion.spatial.sizes(), Shape({17, 2023}));
  EXPECT_EQ(opinion.probabilities.sizes(), Shape({17, 1008}));
  EXPECT_FALSE(opinion.labels.defined());
  const FeatureNet::Opinion last = adm.of(grey.narrow(0, 16, 1).expand({-1, 3, -1, -1}));
  EXPECT_TRUE(close(opinion.features.narrow(0, 16, 1), last.features.to(torch::kFloat64), 1e-5));
  const FeatureNet::Opinion other = fid.of(grey.narrow(0, 16, 1));
  EXPECT_FALSE(close(other.features, last.features.to(torch::kFloat64), 1e-5));
  expect_input_error("grey or colour", [&] { adm.of(torch::zeros({1, 4, 8, 8})); });
}

TEST(InceptionFeatures, that_are_no_numbers_are_refused_with_the_name_of_the_picture) {
  std::map<std::string, Tensor> weights = made_tensors();
  weights["Conv2d_1a_3x3.bn.bias"].fill_(std::numeric_limits<float>::quiet_NaN());
  const InceptionFeatures broken(Inception(weights, torch::kFloat32), InceptionConvention::adm);
  std::vector<Example> examples(2, {.shape = {1, 4, 4}, .bytes = std::vector<std::byte>(16)});
  const SourcePtr pictures = memory_source(std::move(examples), {}, "made");
  expect_error(ErrorKind::numeric, "made: 0", [&] { features_of(broken, *pictures, {}); });
}

}  // namespace
}  // namespace eqm::test
