#include "eqm/measure/classifier_features.h"

#include <gtest/gtest.h>

#include "eqm/backbone/convnet.h"
#include "eqm/data/tensor_source.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

Model classifier() {
  Model model = model_of(std::make_shared<ConvNet>(ConvNetConfig{
                             .input_size = 8, .width = 2, .features = 3, .num_classes = 4}),
                         ObjectiveKind::classifier);
  shake(*model.backbone, 0.3);
  model.scaling = Scaling::pixels();
  return model;
}

TEST(ClassifierFeatures, answers_for_more_pictures_than_are_looked_at_at_once) {
  const ClassifierFeatures network(classifier());
  const Tensor pixels =
      (normal(1, 300, {1, 8, 8}) * 60 + 127).clamp(0, 255).round().to(torch::kUInt8);
  const ClassifierFeatures::Opinion all = network.of(pixels);
  EXPECT_EQ(all.features.sizes(), Shape({300, 3}));
  const ClassifierFeatures::Opinion one = network.of(pixels.narrow(0, 299, 1));
  EXPECT_TRUE(close(all.features.narrow(0, 299, 1), one.features, 1e-5));
  EXPECT_EQ(all.labels[299].item<int64_t>(), one.labels[0].item<int64_t>());
  const Prediction by_hand = network.model().backbone->forward(
      (pixels.narrow(0, 0, 5).to(torch::kFloat32) - 127.5) / 127.5, {});
  EXPECT_TRUE(close(all.features.narrow(0, 0, 5), by_hand.features, 1e-5));
}

TEST(ClassifierFeatures, measures_a_set) {
  const TemporaryFolder folder;
  const auto path = write_set(folder / "set.safetensors", {.count = 20, .shape = {1, 8, 8}});
  const ClassifierFeatures network(classifier());
  const Tensor pixels = read_tensor(SafetensorsFile::open(path), "x");
  const Moments moments = moments_of(network, *open_tensor_source(path));
  EXPECT_EQ(moments.count(), 20);
  const Tensor features = network.of(pixels).features.to(torch::kFloat64);
  EXPECT_TRUE(close(moments.mean(), features.mean(0), 1e-6));
}

TEST(ClassifierFeatures, must_be_a_classifier_and_have_something_to_measure) {
  expect_input_error("need a classifier",
                     [] { ClassifierFeatures refused(model_of(small_sit(), ObjectiveKind::eqm)); });
  expect_error(ErrorKind::usage, "no pictures", [] {
    ClassifierFeatures(classifier()).of(torch::zeros({0, 1, 8, 8}));
  });
}

}  // namespace
}  // namespace eqm::test
