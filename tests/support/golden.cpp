#include "tests/support/golden.h"

#include "eqm/backbone/weights.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/golden_folder.h"

namespace eqm::test {

std::filesystem::path golden_folder() {
  return golden_root() / "eqm";
}

GoldenCase::GoldenCase(const std::filesystem::path& path)
    : path_(path), file_(SafetensorsFile::open(path)) {}

std::string GoldenCase::meta(const std::string& key) const {
  return file_.metadata().at(key);
}

nlohmann::json GoldenCase::meta_json(const std::string& key) const {
  return nlohmann::json::parse(meta(key));
}

Tensor GoldenCase::integers(const std::string& tensor) const {
  return read_tensor(file_, tensor).to(torch::kInt64);
}

Tensor GoldenCase::input(const std::string& tensor, torch::ScalarType type) const {
  return read_tensor(file_, tensor).to(type);
}

Tensor GoldenCase::expected(const std::string& tensor) const {
  for (const char* wide : {".f64", "_f64"}) {
    if (has(tensor + wide)) return read_tensor(file_, tensor + wide).to(torch::kFloat64);
  }
  return read_tensor(file_, tensor).to(torch::kFloat64);
}

Model GoldenCase::model(ObjectiveKind kind, torch::ScalarType type) const {
  Model model;
  model.backbone = std::make_shared<Sit>(sit_config_from_json(meta("config")));
  model.backbone->to(type);
  load_tensors(weights_of(*model.backbone),
               SafetensorsFile::open(path_.parent_path() / meta("weights_file")));
  model.objective.kind = kind;
  model.output_sign = -1;
  return model;
}

std::vector<GoldenCase> golden_cases(const std::string& kind) {
  std::vector<GoldenCase> cases;
  for (const auto& path : golden_files("eqm")) {
    GoldenCase candidate(path);
    if (candidate.has_meta("case") && candidate.meta("case") == kind) {
      cases.push_back(std::move(candidate));
    }
  }
  EXPECT_FALSE(cases.empty()) << "no case of kind " << kind << " in " << golden_folder();
  return cases;
}

double tolerance(torch::ScalarType type, double float32_tolerance) {
  // Two double implementations of these networks agree to about 1e-14 per step; chains of steps and
  // second derivatives lose a few digits.
  return type == torch::kFloat64 ? 1e-10 : float32_tolerance;
}

namespace {

::testing::AssertionResult within(const Tensor& actual, const Tensor& expected, double limit,
                                  double scale) {
  if (actual.sizes() != expected.sizes()) {
    return ::testing::AssertionFailure()
           << "shape " << actual.sizes() << " where " << expected.sizes() << " is expected";
  }
  if (actual.numel() == 0) return ::testing::AssertionSuccess();
  const Tensor difference = (actual.to(torch::kFloat64) - expected).abs();
  const double worst = difference.max().item<double>();
  if (worst <= limit * scale) return ::testing::AssertionSuccess();  // false for NaN
  return ::testing::AssertionFailure() << "differs by " << worst << ", allowed " << limit * scale
                                       << " (largest entry " << scale << ")";
}

}  // namespace

::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double limit) {
  const Tensor wide = expected.to(torch::kFloat64);
  const double scale = wide.numel() == 0 ? 0 : wide.abs().max().item<double>();
  return within(actual.detach(), wide, limit, scale);
}

::testing::AssertionResult close_absolute(const Tensor& actual, const Tensor& expected,
                                          double limit) {
  return within(actual.detach(), expected.to(torch::kFloat64), limit, 1.0);
}

}  // namespace eqm::test
