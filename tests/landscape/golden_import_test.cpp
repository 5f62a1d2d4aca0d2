// Checkpoints of the reference: every file imports to the same weights, and the forward pass after
// the import is the reference's.
#include <algorithm>

#include <gtest/gtest.h>

#include "eqm/io/weights_file.h"
#include "eqm/landscape/import_model.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/golden.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

constexpr double kForwardTolerance = 5e-6;

// The PyTorch files beside a case: the metadata lists them, some with a remark.
std::vector<std::filesystem::path> files_of(const GoldenCase& golden) {
  std::vector<std::filesystem::path> paths;
  for (const std::string entry : golden.meta_json("files")) {
    paths.push_back(golden_folder() / entry.substr(0, entry.find(' ')));
  }
  return paths;
}

// Some files hold tensors of all kinds instead of a model.
bool holds_model(const std::filesystem::path& path) {
  const WeightsFile file = WeightsFile::open(path, WeightsChoice::automatic);
  return std::any_of(file.tensors().begin(), file.tensors().end(),
                     [](const NamedWeights& item) { return item.name == "pos_embed"; });
}

bool is_training(const std::filesystem::path& path) {
  return TorchFile::open(path).root().find("ema").has_value();
}

SitConfig config_of(const GoldenCase& golden) {
  return sit_config_from_json(golden.meta("config"));
}

ImportOptions options_for(const GoldenCase& golden, WeightsChoice weights) {
  return {.weights = weights,
          .hints = {.heads = config_of(golden).num_heads, .classes = config_of(golden).num_classes},
          .objective = {},
          .stored = {},
          .progress = {}};
}

void expect_forward(const GoldenCase& golden, const std::filesystem::path& model_file,
                    const std::string& expected) {
  for (const torch::ScalarType type : kPrecisions) {
    const Model model = load_model(model_file);
    EXPECT_EQ(model.backbone->architecture(), to_json(config_of(golden)));
    EXPECT_EQ(model.output_sign, -1);
    EXPECT_EQ(model.objective.kind, ObjectiveKind::eqm);
    model.backbone->to(type);
    const torch::NoGradGuard guard;
    const Tensor output =
        model.backbone
            ->forward(golden.input("x", type), {.labels = golden.integers("y"), .time = {}})
            .output;
    EXPECT_TRUE(close(output, golden.expected(expected), tolerance(type, kForwardTolerance)));
    // In our sign the field is minus the network's output.
    const Tensor gradient = LearnedField(model).gradient(
        golden.input("x", type), {.labels = golden.integers("y"), .time = {}});
    EXPECT_TRUE(close(-gradient, golden.expected(expected), tolerance(type, kForwardTolerance)));
  }
}

void expect_weights(const GoldenCase& golden, const std::filesystem::path& model_file,
                    const std::string& prefix) {
  const SafetensorsFile written = SafetensorsFile::open(model_file);
  for (const std::string& name : written.names()) {
    EXPECT_TRUE(torch::equal(read_tensor(written, name), read_tensor(golden.file(), prefix + name)))
        << name;
  }
}

TEST(GoldenImport, every_checkpoint_gives_the_reference_weights_and_outputs) {
  const TemporaryFolder folder;
  for (const GoldenCase& golden : golden_cases("checkpoint")) {
    int imported = 0;
    for (const auto& path : files_of(golden)) {
      if (!holds_model(path)) continue;
      SCOPED_TRACE(path.string());
      const auto out = folder / "model.safetensors";
      const ImportReport report =
          import_model(path, out, options_for(golden, WeightsChoice::automatic));
      EXPECT_EQ(report.chosen, is_training(path) ? "ema" : "");
      expect_weights(golden, out, "ema.");
      expect_forward(golden, out, "ema_out_uncond");
      ++imported;
      if (!is_training(path)) continue;
      import_model(path, out, options_for(golden, WeightsChoice::model));
      expect_weights(golden, out, "model.");
      expect_forward(golden, out, "model_out_uncond");
    }
    EXPECT_GT(imported, 0) << golden.name();
  }
}

}  // namespace
}  // namespace eqm::test
