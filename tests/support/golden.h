// Golden fixtures: found by listing $EQM_GOLDEN/eqm (default: the copy in tests/golden), configured
// by their metadata.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/sit.h"
#include "eqm/io/safetensors.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/torch.h"

namespace eqm::test {

std::filesystem::path golden_folder();

class GoldenCase {
 public:
  explicit GoldenCase(const std::filesystem::path& path);

  std::string name() const { return path_.filename().string(); }
  bool has(const std::string& tensor) const { return file_.contains(tensor); }
  bool has_meta(const std::string& key) const { return file_.metadata().contains(key); }
  std::string meta(const std::string& key) const;
  nlohmann::json meta_json(const std::string& key) const;
  const SafetensorsFile& file() const { return file_; }

  Tensor integers(const std::string& tensor) const;
  // An input, in the precision of the run.
  Tensor input(const std::string& tensor, torch::ScalarType type) const;
  // An expected value: the float64 result where it is stored, else the float32 one. As float64.
  Tensor expected(const std::string& tensor) const;

  // The model of the case's config and weights_file, as an imported model of the given objective.
  Model model(ObjectiveKind kind, torch::ScalarType type) const;

 private:
  std::filesystem::path path_;
  SafetensorsFile file_;
};

// All files whose metadata say `case`: kind. Fails the test when there are none.
std::vector<GoldenCase> golden_cases(const std::string& kind);

// How far a run in this precision may be from a float64 reference, relative to the largest entry.
double tolerance(torch::ScalarType type, double float32_tolerance);

inline constexpr torch::ScalarType kPrecisions[] = {torch::kFloat32, torch::kFloat64};

// max|actual - expected| <= limit * max|expected|, with the offender shown.
::testing::AssertionResult close(const Tensor& actual, const Tensor& expected, double limit);
// max|actual - expected| <= limit.
::testing::AssertionResult close_absolute(const Tensor& actual, const Tensor& expected,
                                          double limit);

}  // namespace eqm::test
