#include "eqm/backbone/mlp.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

TEST(Mlp, answers_in_the_shape_of_the_state) {
  Mlp mlp({.dimension = 5, .width = 7});
  mlp.initialise(0);
  const Prediction prediction = mlp.forward(torch::zeros({3, 5}), {});
  EXPECT_EQ(prediction.output.sizes(), Shape({3, 5}));
  EXPECT_EQ(prediction.features.sizes(), Shape({3, 7}));
  EXPECT_EQ(mlp.state_shape(), Shape({5}));
  EXPECT_EQ(mlp.forward(torch::zeros({0, 5}), {}).output.sizes(), Shape({0, 5}));
}

TEST(Mlp, derivatives_match_differences_with_and_without_fourier_features) {
  for (const int64_t fourier : {0, 3}) {
    const auto mlp = small_mlp({.dimension = 3,
                                .width = 6,
                                .depth = 2,
                                .fourier = fourier,
                                .input_scale = 1.7,
                                .num_classes = 2});
    const Condition condition = {.labels = torch::tensor({0, 2}, torch::kInt64), .time = {}};
    const TensorFunction f = [&](const Tensor& x) { return mlp->forward(x, condition).output; };
    EXPECT_TRUE(derivatives_agree(f, normal(1, 2, {3}))) << fourier;
    EXPECT_TRUE(second_derivatives_agree(f, normal(2, 2, {3}))) << fourier;
  }
}

TEST(Mlp, divides_coordinates_by_the_input_scale) {
  const auto one = small_mlp({.dimension = 2, .width = 6, .fourier = 2, .input_scale = 1});
  const auto two = small_mlp({.dimension = 2, .width = 6, .fourier = 2, .input_scale = 2});
  const Tensor x = normal(3, 4, {2});
  EXPECT_TRUE(close(two->forward(2 * x, {}).output, one->forward(x, {}).output, 1e-14));
}

TEST(Mlp, uses_time_only_when_built_for_it) {
  const Tensor x = normal(4, 2, {2});
  const Condition early = {.labels = {}, .time = torch::full({2}, 0.1, torch::kFloat64)};
  for (const bool time_input : {false, true}) {
    const auto mlp = small_mlp({.dimension = 2, .width = 6, .time_input = time_input});
    const Tensor without = mlp->forward(x, {}).output;
    EXPECT_EQ(torch::equal(mlp->forward(x, early).output, without), !time_input);
    const Condition zero = {.labels = {}, .time = torch::zeros({2}, torch::kFloat64)};
    EXPECT_TRUE(torch::equal(mlp->forward(x, zero).output, without));  // no time means 0
  }
}

TEST(Mlp, no_labels_mean_the_null_class) {
  const auto mlp = small_mlp();
  const Tensor x = normal(5, 2, {3});
  const auto labelled = [&](int64_t label) {
    return mlp->forward(x, {.labels = torch::full({2}, label, torch::kInt64), .time = {}}).output;
  };
  EXPECT_EQ(mlp->null_label(), 3);
  EXPECT_TRUE(torch::equal(mlp->forward(x, {}).output, labelled(3)));
  EXPECT_FALSE(close(labelled(0), labelled(1), 1e-3));
  for (const int64_t label : {-1, 4}) {
    expect_error(ErrorKind::usage, "labels", [&] { labelled(label); });
  }
  const Tensor short_labels = torch::zeros({1}, torch::kInt64);
  expect_error(ErrorKind::usage, "labels",
               [&] { mlp->forward(x, {.labels = short_labels, .time = {}}); });
}

TEST(Mlp, refuses_states_of_another_shape) {
  Mlp mlp({.dimension = 3});
  for (const Shape& shape : {Shape{2, 4}, Shape{3}, Shape{2, 3, 1}}) {
    expect_error(ErrorKind::usage, "3 coordinates", [&] { mlp.forward(torch::zeros(shape), {}); });
  }
}

TEST(Mlp, refuses_senseless_configurations) {
  const double nan = std::nan("");
  for (const MlpConfig& config : std::vector<MlpConfig>{{.dimension = 0},
                                                        {.width = 0},
                                                        {.width = 1 << 20},
                                                        {.depth = 0},
                                                        {.depth = 1000},
                                                        {.fourier = -1},
                                                        {.fourier_scale = nan},
                                                        {.input_scale = 0},
                                                        {.input_scale = nan},
                                                        {.num_classes = -1}}) {
    expect_error(ErrorKind::usage, "cannot be built", [&] { Mlp mlp(config); });
  }
}

TEST(Mlp, architecture_comes_back_from_json) {
  const MlpConfig config = {.dimension = 3,
                            .width = 9,
                            .depth = 4,
                            .fourier = 5,
                            .fourier_scale = 0.3,
                            .input_scale = 2.5,
                            .num_classes = 6,
                            .time_input = true};
  const std::string json = Mlp(config).architecture();
  const auto again = make_backbone(json);
  EXPECT_EQ(again->architecture(), json);
  EXPECT_NE(Mlp(MlpConfig{}).architecture(), json);
  EXPECT_EQ(static_cast<double>(parameter_count(*again)), weight_count(config));
  expect_input_error("MLP", [] { mlp_config_from_json("{\"dimension\": 2}"); });
  expect_input_error("JSON", [] { make_backbone("{\"kind\":"); });
  expect_input_error("unknown backbone", [] { make_backbone("{\"kind\": \"lstm\"}"); });
}

TEST(Mlp, frequencies_are_fixed) {
  Mlp mlp({.fourier = 4});
  mlp.initialise(0);
  mlp.forward(torch::ones({1, 2}), {}).output.sum().backward();
  EXPECT_FALSE(mlp.named_parameters()["frequencies"].requires_grad());
  EXPECT_TRUE(mlp.named_parameters()["layer0.weight"].grad().defined());
}

}  // namespace
}  // namespace eqm::test
