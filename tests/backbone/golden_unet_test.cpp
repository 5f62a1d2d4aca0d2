// Parity of the U-Net with the Flow Matching code base: outputs, derivatives by state, time and
// every weight. Cases are the *.io.safetensors of $EQM_GOLDEN/nets/unet, each beside its weights;
// their metadata are the reference's arguments.
#include <fstream>

#include <gtest/gtest.h>

#include "eqm/backbone/embeddings.h"
#include "eqm/backbone/unet_layout.h"
#include "eqm/backbone/unet_shapes.h"
#include "eqm/backbone/weights.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"

namespace eqm::test {
namespace {

// Measured against float64: outputs 8.2e-06, derivatives 2.0e-5, norms of gradients below 1e-5, at
// most.
constexpr double kOutTolerance = 3e-5, kDerivativeTolerance32 = 1e-4, kNormTolerance = 3e-5;

class GoldenUnet {
 public:
  explicit GoldenUnet(const std::filesystem::path& path) : golden(path) {
    const std::string suffix = ".io.safetensors";
    weights = path;
    weights.replace_filename(golden.name().substr(0, golden.name().size() - suffix.size()) +
                             ".weights.safetensors");
    nlohmann::json json;
    for (const auto& [key, value] : golden.file().metadata()) {
      json[key] = nlohmann::json::parse(value);
    }
    json["input_size"] = golden.file().at("x").shape.back();
    config = unet_config_from_json(json.dump());
  }

  // "" where there is one run, else "lab." and the like.
  std::vector<std::string> runs() const {
    std::vector<std::string> prefixes;
    for (const std::string& name : golden.file().names()) {
      const size_t at = name.find("out_f64");
      if (at != std::string::npos && name.ends_with("out_f64")) {
        prefixes.push_back(name.substr(0, at));
      }
    }
    return prefixes;
  }

  std::shared_ptr<Unet> network(torch::ScalarType type) const {
    auto unet = std::make_shared<Unet>(config);
    unet->to(type);
    load_tensors(weights_of(*unet), SafetensorsFile::open(weights));
    return unet;
  }

  GoldenCase golden;
  std::filesystem::path weights;
  UnetConfig config;
};

std::vector<GoldenUnet> golden_unets() {
  std::vector<GoldenUnet> cases;
  for (const auto& path : golden_files("nets/unet")) {
    if (path.filename().string().ends_with(".io.safetensors")) cases.emplace_back(path);
  }
  EXPECT_FALSE(cases.empty());
  return cases;
}

TEST(GoldenUnet, outputs_and_derivatives_match_the_reference) {
  for (const GoldenUnet& entry : golden_unets()) {
    const GoldenCase& golden = entry.golden;
    for (const torch::ScalarType type : kPrecisions) {
      const auto unet = entry.network(type);
      for (const std::string& run : entry.runs()) {
        SCOPED_TRACE(golden.name() + " " + run + " " + torch::toString(type));
        const Tensor x = golden.input("x", type).requires_grad_();
        const Tensor t = golden.input("t", type).requires_grad_();
        const Tensor labels = golden.has(run + "y") ? golden.integers(run + "y") : Tensor();
        const Tensor out = unet->forward(x, {.labels = labels, .time = t}).output;
        EXPECT_TRUE(close(out, golden.expected(run + "out_f64"), tolerance(type, kOutTolerance)));
        unet->zero_grad();
        (out * golden.input("grad_out", type)).sum().backward();
        const double limit = tolerance(type, kDerivativeTolerance32);
        EXPECT_TRUE(close(x.grad(), golden.expected(run + "dx_f64"), limit));
        EXPECT_EQ(t.grad().defined(), golden.has(run + "dt_f64"));
        if (golden.has(run + "dt_f64")) {
          EXPECT_TRUE(close(t.grad(), golden.expected(run + "dt_f64"), limit));
        }
        double largest = 0;
        for (const auto& entry_of : weights_of(*unet)) {
          const std::string norm = run + "paramgrad_norm." + entry_of.first;
          ASSERT_TRUE(golden.has(norm)) << norm;
          largest = std::max(largest, golden.expected(norm).item<double>());
        }
        // A bias that a norm takes away again has no gradient but rounding errors.
        const double noise = 0.01 * largest;
        for (const auto& [name, weight] : weights_of(*unet)) {
          const double expected = golden.expected(run + "paramgrad_norm." + name).item<double>();
          const double found = weight.grad().norm().item<double>();
          EXPECT_NEAR(found, expected, tolerance(type, kNormTolerance) * (expected + noise))
              << name;
        }
      }
    }
  }
}

TEST(GoldenUnet, time_features_match_the_reference) {
  for (const GoldenUnet& entry : golden_unets()) {
    const Tensor t = entry.golden.input("t", torch::kFloat64);
    EXPECT_TRUE(close(time_features(t, entry.config.model_channels),
                      entry.golden.expected("temb_f64"), 1e-12));
    EXPECT_TRUE(close(time_features(t.to(torch::kFloat32), entry.config.model_channels),
                      entry.golden.expected("temb_f32"), 1e-6));
  }
}

TEST(GoldenUnet, names_and_shapes_are_those_of_the_reference_and_tell_the_configuration) {
  for (const GoldenUnet& entry : golden_unets()) {
    const SafetensorsFile file = SafetensorsFile::open(entry.weights);
    WeightShapes shapes;
    for (const std::string& name : file.names()) shapes[name] = file.at(name).shape;
    EXPECT_EQ(first_misfit(shapes, unet_weight_shapes(entry.config)), "");
    EXPECT_TRUE(looks_like_unet(shapes));
    UnetConfig told = unet_config_from_shapes(
        shapes, {.heads = entry.config.num_head_channels > 0 ? 0 : entry.config.num_heads,
                 .head_channels = std::max<int64_t>(0, entry.config.num_head_channels),
                 .size = entry.config.input_size});
    told.dropout = entry.config.dropout;  // leaves no trace
    told.num_heads = entry.config.num_heads;
    EXPECT_EQ(to_json(told), to_json(entry.config)) << entry.golden.name();
  }
}

TEST(GoldenUnet, the_preset_is_the_network_of_the_flow_matching_code_base) {
  int listed = 0;
  for (const auto& file : std::filesystem::directory_iterator(golden_root() / "nets/unet")) {
    if (!file.path().filename().string().ends_with("_param_names.json")) continue;
    std::ifstream stream(file.path());
    const nlohmann::json list = nlohmann::json::parse(stream);
    nlohmann::json arguments = list.at("config");
    arguments["input_size"] = 32;
    arguments["dropout"] = 0.0;
    const UnetConfig config = unet_config_from_json(arguments.dump());
    EXPECT_EQ(to_json(config), to_json(unet_preset("unet-cifar10")));
    WeightShapes shapes;
    for (const auto& [name, shape] : list.at("tensors").items()) {
      shapes[name] = shape.get<Shape>();
    }
    EXPECT_EQ(first_misfit(shapes, unet_weight_shapes(config)), "");
    EXPECT_EQ(weight_count(config), list.at("num_parameters").get<double>());
    EXPECT_EQ(to_json(unet_config_from_shapes(shapes, {})), to_json(config));
    ++listed;
  }
  EXPECT_GT(listed, 0);
}

}  // namespace
}  // namespace eqm::test
