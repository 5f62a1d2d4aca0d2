#include "eqm/backbone/convnet.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"

namespace eqm::test {
namespace {

constexpr ConvNetConfig kSmall = {
    .in_channels = 2, .input_size = 7, .width = 3, .features = 5, .num_classes = 4};

std::shared_ptr<ConvNet> small_convnet() {
  auto net = std::make_shared<ConvNet>(kSmall);
  net->to(torch::kFloat64);
  shake(*net, 0.3);
  return net;
}

TEST(ConvNet, answers_logits_and_features) {
  ConvNet net(kSmall);
  net.initialise(0);
  const Prediction prediction = net.forward(torch::zeros({3, 2, 7, 7}), {});
  EXPECT_EQ(prediction.output.sizes(), Shape({3, 4}));
  EXPECT_EQ(prediction.features.sizes(), Shape({3, 5}));
  EXPECT_EQ(net.forward(torch::zeros({0, 2, 7, 7}), {}).output.sizes(), Shape({0, 4}));
}

TEST(ConvNet, counts_its_weights_without_being_built) {
  for (const int64_t size : {4, 7, 28, 33}) {
    ConvNetConfig config = kSmall;
    config.input_size = size;
    EXPECT_EQ(weight_count(config), static_cast<double>(parameter_count(ConvNet(config)))) << size;
  }
}

TEST(ConvNet, is_built_again_from_its_architecture) {
  const auto net = small_convnet();
  const auto copy = make_backbone(net->architecture());
  EXPECT_EQ(copy->architecture(), net->architecture());
  EXPECT_EQ(copy->num_classes(), 4);
  EXPECT_EQ(copy->state_shape(), Shape({2, 7, 7}));
}

// Rectifiers have kinks: the directions are short, so that differences along them meet none.
TEST(ConvNet, derivatives_match_differences) {
  const auto net = small_convnet();
  const Tensor x = normal(1, 2, {2, 7, 7}).requires_grad_();
  const auto value = [&] { return net->forward(x, {}).output.square().sum(); };
  value().backward();
  std::vector<Tensor> variables = net->parameters();
  variables.push_back(x);
  uint64_t seed = 10;
  for (const Tensor& variable : variables) {
    const Tensor direction = 1e-3 * normal(seed++, 1, variable.sizes().vec())[0];
    const double expected = (variable.grad() * direction).sum().item<double>();
    const double measured = numeric_derivative_along(
        [&] {
          const torch::NoGradGuard guard;
          return value().item<double>();
        },
        variable, direction);
    EXPECT_NEAR(measured, expected, 1e-6 * std::abs(expected) + 1e-12) << variable.sizes();
  }
}

TEST(ConvNet, a_row_does_not_depend_on_its_neighbours) {
  const auto net = small_convnet();
  const Tensor x = normal(2, 3, {2, 7, 7});
  EXPECT_TRUE(close(net->forward(x.narrow(0, 1, 1), {}).output,
                    net->forward(x, {}).output.narrow(0, 1, 1), 1e-14));
}

TEST(ConvNet, refuses_other_sizes) {
  const auto net = small_convnet();
  expect_error(ErrorKind::usage, "2x7x7", [&] { net->forward(normal(3, 1, {2, 8, 8}), {}); });
  expect_error(ErrorKind::usage, "2x7x7", [&] { net->forward(normal(3, 1, {7}), {}); });
  for (const auto& spoil : std::vector<std::function<void(ConvNetConfig&)>>{
           [](auto& c) { c.in_channels = 0; }, [](auto& c) { c.input_size = 3; },
           [](auto& c) { c.width = 0; }, [](auto& c) { c.features = -1; },
           [](auto& c) { c.num_classes = 1; }}) {
    ConvNetConfig config = kSmall;
    spoil(config);
    expect_error(ErrorKind::usage, "out of range", [&] { ConvNet refused(config); });
  }
  expect_input_error("incomplete", [] { convnet_config_from_json(R"({"width": 3})"); });
}

}  // namespace
}  // namespace eqm::test
