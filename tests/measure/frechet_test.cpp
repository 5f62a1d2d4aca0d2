#include "eqm/measure/frechet.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/tensor/bridge.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"

namespace eqm::test {
namespace {

Tensor rows(uint64_t seed, int64_t count, int64_t width) {
  return normal_rows({.seed = seed}, count, {width}, torch::kFloat64);
}

Moments moments_of(const Tensor& features) {
  Moments moments;
  moments.add(features);
  return moments;
}

TEST(Moments, are_those_of_all_rows_however_they_come) {
  const Tensor all = rows(1, 50, 4) + 1000;  // far from zero, where sums of squares would cancel
  Moments moments;
  for (const auto& part : all.split_with_sizes({1, 0, 17, 2, 30})) moments.add(part);
  EXPECT_EQ(moments.count(), 50);
  EXPECT_TRUE(close(moments.mean(), all.mean(0), 1e-14));
  const Tensor centred = all - all.mean(0);
  EXPECT_TRUE(close(moments.covariance(), torch::matmul(centred.t(), centred) / 49, 1e-11));
}

TEST(Moments, refuse_what_cannot_be_measured) {
  Moments moments = moments_of(rows(1, 1, 3));
  expect_error(ErrorKind::usage, "two examples", [&] { moments.covariance(); });
  expect_input_error("features of 4 numbers", [&] { moments.add(rows(1, 2, 4)); });
  Tensor bad = rows(1, 2, 3);
  bad[1][2] = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorKind::numeric, "not a finite number", [&] { moments.add(bad); });
  EXPECT_EQ(moments.count(), 1);
  expect_input_error("features of 3 numbers beside features of 5", [&] {
    frechet_distance(moments_of(rows(1, 9, 3)), moments_of(rows(1, 9, 5)));
  });
}

// Axis by axis it is (μ₁ - μ₂)² + (σ₁ - σ₂)².
TEST(FrechetDistance, of_independent_axes_is_known) {
  const Tensor one = torch::diag(torch::tensor({1.0, 4.0, 0.0}, torch::kFloat64));
  const Tensor two = torch::diag(torch::tensor({9.0, 4.0, 0.25}, torch::kFloat64));
  const Tensor origin = torch::zeros({3}, torch::kFloat64);
  EXPECT_NEAR(frechet_distance({10, origin, one}, {10, origin + 2, two}), 12 + 4 + 0 + 0.25, 1e-12);
}

TEST(FrechetDistance, is_symmetric_and_zero_for_equals) {
  const Moments a = moments_of(rows(1, 40, 6)), b = moments_of(2 * rows(2, 30, 6) + 1);
  EXPECT_NEAR(frechet_distance(a, a), 0, 1e-9);
  EXPECT_NEAR(frechet_distance(a, b), frechet_distance(b, a), 1e-9);
  EXPECT_GT(frechet_distance(a, b), 1);
}

TEST(FrechetDistance, agrees_with_golden_values) {
  int64_t compared = 0;
  for (const auto& path : golden_files("nets/metrics")) {
    const SafetensorsFile file = SafetensorsFile::open(path);
    std::ifstream stream(path.parent_path() / (path.stem().string() + "_expected.json"));
    const nlohmann::json expected = nlohmann::json::parse(stream).at("fid");
    for (const auto& [name, values] : expected.items()) {
      const auto set = [&](const std::string& which) {
        const auto tensor = [&](const std::string& kind) {
          return read_tensor(file, "fid." + name + "." + kind + which);
        };
        constexpr int64_t kAnyCount = 1000;  // the covariance is given
        return Moments(kAnyCount, tensor("mu"), tensor("sigma"));
      };
      EXPECT_NEAR(frechet_distance(set("1"), set("2")), values.at("fid_exact").get<double>(), 1e-6)
          << name;
      for (const std::string which : {"1", "2"}) {
        const std::string features = "fid." + name + ".feat" + which;
        if (!file.contains(features)) continue;
        const Moments measured = moments_of(read_tensor(file, features));
        EXPECT_TRUE(
            close(measured.mean(), read_tensor(file, "fid." + name + ".mu" + which), 1e-12));
        EXPECT_TRUE(close(measured.covariance(),
                          read_tensor(file, "fid." + name + ".sigma" + which), 1e-12));
      }
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

}  // namespace
}  // namespace eqm::test
