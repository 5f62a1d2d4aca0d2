#include "eqm/backbone/unet.h"

#include <cmath>

#include <gtest/gtest.h>

#include "eqm/backbone/unet_layout.h"
#include "eqm/backbone/unet_shapes.h"
#include "eqm/backbone/weights.h"
#include "eqm/descend/sampling.h"
#include "eqm/landscape/import_model.h"
#include "eqm/landscape/reference_form.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/independent_rows.h"
#include "tests/support/numeric_jacobian.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

UnetConfig small_unet_config() {
  return {.input_size = 4,
          .in_channels = 2,
          .out_channels = 2,
          .model_channels = 32,
          .channel_mult = {1, 2},
          .num_res_blocks = 1,
          .attention_resolutions = {2},
          .num_heads = 2,
          .num_classes = 3};
}

std::shared_ptr<Unet> small_unet(const UnetConfig& config = small_unet_config()) {
  auto unet = std::make_shared<Unet>(config);
  unet->to(torch::kFloat64);
  shake(*unet, 0.1);
  return unet;
}

// Every way of building one: with and without time and classes, and the three ways to change size.
std::vector<UnetConfig> kinds() {
  std::vector<UnetConfig> all;
  for (const bool ignore_time : {false, true}) {
    for (const int64_t classes : {0, 3}) {
      UnetConfig config = small_unet_config();
      config.ignore_time = ignore_time;
      config.num_classes = classes;
      all.push_back(config);
    }
  }
  all.push_back(small_unet_config());
  all.back().conv_resample = true;
  all.push_back(small_unet_config());
  all.back().resblock_updown = true;
  all.back().num_head_channels = 16;
  return all;
}

TEST(Unet, answers_in_the_shape_of_the_state) {
  const auto unet = small_unet();
  const Prediction prediction = unet->forward(normal(1, 3, {2, 4, 4}), {});
  EXPECT_EQ(prediction.output.sizes(), Shape({3, 2, 4, 4}));
  EXPECT_EQ(prediction.features.sizes(), Shape({3, 32, 4, 4}));
  EXPECT_EQ(unet->state_shape(), Shape({2, 4, 4}));
  EXPECT_EQ(unet->forward(normal(1, 3, {2, 6, 8}), {}).output.sizes(), Shape({3, 2, 6, 8}));
  for (const Shape& shape : {Shape{3, 2, 4, 5}, Shape{3, 1, 4, 4}, Shape{2, 4, 4}}) {
    expect_error(ErrorKind::usage, "2x4x4", [&] { unet->forward(torch::zeros(shape), {}); });
  }
}

TEST(Unet, a_fresh_one_answers_exactly_zero_and_every_layer_of_it_is_alive) {
  for (const UnetConfig& config : kinds()) {
    Unet unet(config);
    unet.initialise(5);
    EXPECT_EQ(unet.forward(torch::randn({2, 2, 4, 4}), {}).output.abs().max().item<float>(), 0);
    for (const auto& [name, weight] : weights_of(unet)) {
      const bool zero = weight.abs().max().item<float>() == 0;
      const bool last = name.find("out_layers.3") != std::string::npos ||
                        name.find("proj_out") != std::string::npos || name.starts_with("out.2");
      const bool shift = weight.dim() == 1 &&
                         (name.find("layers.0.bias") != std::string::npos ||
                          name.find("norm.bias") != std::string::npos || name == "out.0.bias");
      EXPECT_EQ(zero, last || shift) << name;
    }
  }
}

TEST(Unet, fresh_weights_follow_from_the_seed) {
  Unet one(small_unet_config()), other(small_unet_config());
  one.initialise(5);
  other.initialise(5);
  EXPECT_EQ(fingerprint_of(one), fingerprint_of(other));
  other.initialise(6);
  EXPECT_NE(fingerprint_of(one), fingerprint_of(other));
}

TEST(Unet, no_labels_mean_the_null_class_which_gets_no_gradient) {
  const auto unet = small_unet();
  const Tensor x = normal(2, 2, {2, 4, 4});
  const auto labelled = [&](int64_t label) {
    return unet->forward(x, {.labels = torch::full({2}, label, torch::kInt64), .time = {}}).output;
  };
  EXPECT_EQ(unet->null_label(), 3);
  EXPECT_TRUE(torch::equal(unet->forward(x, {}).output, labelled(3)));
  EXPECT_FALSE(close(labelled(0), labelled(3), 1e-4));
  for (const int64_t label : {-1, 4}) {
    expect_error(ErrorKind::usage, "labels", [&] { labelled(label); });
  }
  (labelled(3) + labelled(1)).square().sum().backward();
  const Tensor gradient = unet->named_parameters()["label_emb.weight"].grad();
  EXPECT_GT(gradient[1].abs().max().item<double>(), 0);
  EXPECT_EQ(gradient[3].abs().max().item<double>(), 0);
}

TEST(Unet, no_time_means_zero_and_time_matters_unless_it_is_ignored) {
  for (const UnetConfig& config : kinds()) {
    const auto unet = small_unet(config);
    const Tensor x = normal(4, 2, {2, 4, 4});
    const auto at = [&](double time) {
      return unet->forward(x, {.labels = {}, .time = torch::full({2}, time, torch::kFloat64)})
          .output;
    };
    EXPECT_TRUE(torch::equal(at(0), unet->forward(x, {}).output));
    EXPECT_EQ(torch::equal(at(0.7), at(0)), config.ignore_time);
  }
}

TEST(Unet, rows_of_a_batch_do_not_interact) {
  expect_independent_rows(*small_unet(), 1e-12);
}

TEST(Unet, derivatives_match_differences) {
  for (UnetConfig config : kinds()) {
    if (config.ignore_time || config.num_classes == 0) continue;  // the same operators
    config.in_channels = config.out_channels = 1;
    const auto unet = small_unet(config);
    const TensorFunction f = [&](const Tensor& x) { return unet->forward(x, {}).output; };
    EXPECT_TRUE(derivatives_agree(f, normal(7, 1, {1, 4, 4})));
    EXPECT_TRUE(second_derivatives_agree(f, normal(8, 1, {1, 4, 4})));
  }
}

// What training an explicit energy differentiates: the loss of its gradient, by the weights.
TEST(Unet, gradients_of_energies_match_differences_along_weights) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    UnetConfig config = small_unet_config();
    config.dropout = 0.25;
    const auto unet = small_unet(config);
    TrainingBatch batch = made_batch(0, 2, *unet);
    batch.dropout = torch::tensor({5, 6}, torch::kInt64);
    const Objective objective = model_of(unet, kind).objective;
    const auto value = [&] { return loss(*unet, objective, 1, batch).per_sample.mean(); };
    value().backward();
    uint64_t seed = kind == ObjectiveKind::eqm_dot ? 20 : 21;
    for (const auto& [name, weight] : weights_of(*unet)) {
      if (seed % 3 != 0 && name != "label_emb.weight") {  // a third of them is enough
        ++seed;
        continue;
      }
      Tensor direction = normal(seed++, 1, weight.sizes().vec())[0];
      direction = 1e-2 * direction / direction.norm();
      if (name == "label_emb.weight") direction[unet->null_label()].zero_();
      const double expected = (weight.grad() * direction).sum().item<double>();
      const double measured =
          numeric_derivative_along([&] { return value().item<double>(); }, weight, direction);
      EXPECT_NEAR(measured, expected, 1e-5 * std::abs(expected) + 1e-9) << name;
    }
  }
}

TEST(Unet, float32_is_close_to_float64_for_every_objective) {
  for (const auto& [name, kind] : field_objective_names()) {
    const auto wide = small_unet(), narrow = small_unet();
    narrow->to(torch::kFloat32);
    for (const auto& unet : {wide, narrow}) {
      loss(*unet, model_of(unet, kind).objective, 1, made_batch(0, 3, *unet))
          .per_sample.mean()
          .backward();
    }
    for (const auto& [weight_name, weight] : weights_of(*wide)) {
      if (!weight.grad().defined()) continue;
      const Tensor found = narrow->named_parameters()[weight_name].grad();
      // Biases that a norm takes away again have no gradient but rounding errors.
      const double limit = 1e-3 * weight.grad().abs().max().item<double>() + 1e-6;
      EXPECT_TRUE(close_absolute(found, weight.grad(), limit)) << name << " " << weight_name;
    }
  }
}

TEST(Unet, dropout_follows_from_the_seeds_of_the_rows) {
  UnetConfig config = small_unet_config();
  config.dropout = 0.5;
  const auto unet = small_unet(config);
  const Tensor x = normal(9, 3, {2, 4, 4});
  const auto with = [&](const Tensor& seeds) {
    return unet->forward(x, {.labels = {}, .time = {}, .dropout = seeds}).output;
  };
  const Tensor seeds = torch::tensor({7, 8, 9}, torch::kInt64);
  const Tensor once = with(seeds);
  EXPECT_TRUE(torch::equal(with(seeds), once));
  EXPECT_FALSE(close(once, with({}), 1e-3)) << "without seeds nothing is dropped";
  const Tensor other = with(torch::tensor({7, 18, 9}, torch::kInt64));
  EXPECT_TRUE(close(other[0], once[0], 1e-12));
  EXPECT_TRUE(close(other[2], once[2], 1e-12));
  EXPECT_FALSE(close(other[1], once[1], 1e-3));
}

TEST(Unet, training_lowers_the_loss_of_every_objective) {
  for (const auto& [name, kind] : field_objective_names()) {
    if (kind == ObjectiveKind::eqm_l2) continue;  // starts from a trained model
    UnetConfig config = small_unet_config();
    config.dropout = 0.1;
    auto unet = std::make_shared<Unet>(config);
    unet->initialise(3);
    TrainOptions options;
    options.schedule.lr = 2e-3;
    options.steps = 25;
    TrainingState state(model_of(unet, kind), {});
    double first = 0, last = 0;
    for (int64_t step = 0; step < options.steps; ++step) {
      TrainingBatch batch = made_batch(step % 2, 8, *unet);
      batch.dropout = torch::arange(8 * step, 8 * step + 8);
      const double value = train_step(state, options, {&batch, 1}, Runtime()).loss;
      (step == 0 ? first : last) = value;
    }
    EXPECT_LT(last, 0.7 * first) << name;
  }
}

TEST(Unet, comes_back_from_a_model_file) {
  const TemporaryFolder folder;
  for (const UnetConfig& config : kinds()) {
    const auto unet = small_unet(config);
    const Model model = model_of(unet, ObjectiveKind::eqm);
    save_model(model, folder / "model.safetensors");
    const Model again = load_model(folder / "model.safetensors");
    EXPECT_EQ(again.backbone->architecture(), unet->architecture());
    const Tensor x = normal(3, 2, {2, 4, 4});
    EXPECT_TRUE(torch::equal(again.backbone->forward(x, {}).output, unet->forward(x, {}).output));
  }
}

TEST(Unet, the_engine_draws_the_same_samples_in_any_batch) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::fm}) {
    const auto unet = small_unet();
    const LearnedField field(model_of(unet, kind));
    const auto draw = [&](int64_t capacity) {
      SamplingSpec job = {.count = 5, .seed = 4, .descent = {.limit = 4}, .capacity = capacity};
      if (!is_flow(kind)) job.descent.eta = 0.01;
      job.terms = [](int64_t i) { return only(i % 3); };
      std::vector<Tensor> samples(5);
      job.done = [&](int64_t i, const Outcome& outcome) {
        samples[static_cast<size_t>(i)] = torch::tensor(
            std::vector<double>(std::begin(outcome.x), std::end(outcome.x)), torch::kFloat64);
      };
      run_sampling(field, job);
      return torch::stack(samples);
    };
    const Tensor alone = draw(1);
    EXPECT_TRUE(close(draw(5), alone, 1e-11)) << name_of(kind);
    EXPECT_TRUE(close(draw(2), alone, 1e-11)) << name_of(kind);
  }
}

TEST(Unet, the_reference_sign_turns_over_its_last_layer) {
  Model model = model_of(small_unet(), ObjectiveKind::eqm);
  const Tensor x = normal(3, 2, {2, 4, 4});
  const Tensor before = model.backbone->forward(x, {}).output;
  give_reference_sign(model);
  EXPECT_EQ(model.output_sign, -1);
  EXPECT_TRUE(torch::equal(model.backbone->forward(x, {}).output, -before));
}

TEST(Unet, is_imported_by_its_shapes) {
  const TemporaryFolder folder;
  for (const UnetConfig& config : kinds()) {
    const auto unet = small_unet(config);
    save_tensors(folder / "plain.safetensors", weights_of(*unet));
    ImportOptions options;
    options.hints = {.heads = config.num_head_channels > 0 ? 0 : 2,
                     .head_channels = std::max<int64_t>(0, config.num_head_channels),
                     .size = 4};
    import_model(folder / "plain.safetensors", folder / "model.safetensors", options);
    const Model model = load_model(folder / "model.safetensors");
    EXPECT_EQ(model.output_sign, -1);
    EXPECT_EQ(model.objective.kind, config.ignore_time ? ObjectiveKind::eqm : ObjectiveKind::fm);
    const Tensor x = normal(3, 2, {2, 4, 4});
    EXPECT_TRUE(torch::equal(model.backbone->forward(x, {}).output, unet->forward(x, {}).output));
  }
}

TEST(UnetShapes, are_those_of_the_network_and_count_its_weights) {
  for (const UnetConfig& config : kinds()) {
    const Unet unet(config);
    WeightShapes built;
    for (const auto& [name, weight] : weights_of(unet)) built[name] = weight.sizes().vec();
    EXPECT_EQ(first_misfit(built, unet_weight_shapes(config)), "");
    EXPECT_EQ(weight_count(config), static_cast<double>(parameter_count(unet)));
    EXPECT_GT(activation_count(config), 0);
    EXPECT_GT(unet.activation_floats_per_row(), 2 * 4 * 4);
  }
}

TEST(UnetShapes, refuse_weights_of_something_else) {
  const auto refuse = [](const std::string& part, const auto& change) {
    const auto list = unet_weight_shapes(small_unet_config());
    WeightShapes shapes(list.begin(), list.end());
    change(shapes);
    SCOPED_TRACE(part);
    expect_input_error(part, [&] { unet_config_from_shapes(shapes, {.heads = 2, .size = 4}); });
  };
  refuse("is missing", [](auto& shapes) { shapes.erase("out.2.weight"); });
  refuse("is missing", [](auto& shapes) { shapes.erase("middle_block.1.qkv.bias"); });
  refuse("'extra' is too many", [](auto& shapes) { shapes["extra"] = {1}; });
  refuse("more blocks", [](auto& shapes) { shapes["input_blocks.99999.0.bias"] = {1}; });
  refuse("[7] where [2] is needed", [](auto& shapes) { shapes["out.2.bias"] = {7}; });
  refuse("no levels", [](auto& shapes) { shapes.erase("input_blocks.1.0.out_layers.0.weight"); });
  refuse("'label_emb.weight' has shape", [](auto& shapes) { shapes["label_emb.weight"] = {0, 9}; });
  const auto few = unet_weight_shapes(small_unet_config());
  expect_input_error("does not fit 9 classes", [&] {
    unet_config_from_shapes({few.begin(), few.end()}, {.heads = 2, .classes = 9, .size = 4});
  });
  const auto list = unet_weight_shapes(small_unet_config());
  const WeightShapes shapes(list.begin(), list.end());
  expect_error(ErrorKind::usage, "heads", [&] { unet_config_from_shapes(shapes, {}); });
  expect_error(ErrorKind::usage, "input_size",
               [&] { unet_config_from_shapes(shapes, {.heads = 2, .size = 5}); });
  try {
    unet_config_from_shapes(shapes, {.heads = 3, .size = 4});
    FAIL() << "three heads were taken";
  } catch (const Error& error) {
    EXPECT_NE(error.hint().find("{heads}"), std::string::npos) << error.hint();
  }
}

TEST(UnetConfig, presets_have_the_sizes_they_promise) {
  EXPECT_EQ(weight_count(unet_preset("unet-cifar10")), 55'676'419);
  const UnetConfig small = unet_preset("unet-small");
  EXPECT_GT(weight_count(small), 2e6);
  EXPECT_LT(weight_count(small), 4e6);
  for (const std::string& name : unet_preset_names()) EXPECT_NO_THROW(check(unet_preset(name)));
  expect_error(ErrorKind::usage, "unet-smal", [] { unet_preset("unet-smal"); });
}

TEST(UnetConfig, refuses_what_cannot_be_built) {
  const auto refused = [](const std::string& rule, auto change) {
    UnetConfig config = small_unet_config();
    change(config);
    expect_error(ErrorKind::usage, rule, [&] { check(config); });
    EXPECT_THROW(Unet{config}, Error);
  };
  EXPECT_NO_THROW(check(small_unet_config()));
  refused("multiple of 2", [](UnetConfig& c) { c.input_size = 5; });
  refused("multiple of 2", [](UnetConfig& c) { c.input_size = 0; });
  refused("in_channels", [](UnetConfig& c) { c.in_channels = 0; });
  refused("out_channels", [](UnetConfig& c) { c.out_channels = 6; });
  refused("multiple of 32, not 48", [](UnetConfig& c) { c.model_channels = 48; });
  refused("model_channels", [](UnetConfig& c) { c.model_channels = 0; });
  refused("levels", [](UnetConfig& c) { c.channel_mult = {}; });
  refused("channel_mult", [](UnetConfig& c) { c.channel_mult = {1, 0}; });
  refused("num_res_blocks", [](UnetConfig& c) { c.num_res_blocks = 0; });
  refused("attention_resolutions", [](UnetConfig& c) { c.attention_resolutions = {0}; });
  refused("num_heads", [](UnetConfig& c) { c.num_heads = 3; });
  refused("num_heads", [](UnetConfig& c) { c.num_heads = 0; });
  refused("num_head_channels", [](UnetConfig& c) { c.num_head_channels = 0; });
  refused("num_head_channels", [](UnetConfig& c) { c.num_head_channels = 48; });
  refused("num_classes", [](UnetConfig& c) { c.num_classes = -1; });
  refused("dropout", [](UnetConfig& c) { c.dropout = 1; });
  refused("dropout", [](UnetConfig& c) { c.dropout = std::nan(""); });
}

TEST(UnetConfig, architecture_comes_back_from_json) {
  for (UnetConfig config : kinds()) {
    config.dropout = 0.3;
    const std::string json = to_json(config);
    EXPECT_EQ(to_json(unet_config_from_json(json)), json);
    EXPECT_EQ(make_backbone(json)->architecture(), json);
    EXPECT_NO_THROW(make_backbone(json, weight_count(config)));
    expect_input_error("weights", [&] { make_backbone(json, weight_count(config) - 1); });
  }
  expect_input_error("U-Net", [] { unet_config_from_json("{}"); });
  expect_input_error("U-Net", [] { unet_config_from_json("not json"); });
  auto json = nlohmann::json::parse(to_json(small_unet_config()));
  json["use_new_attention_order"] = false;
  expect_input_error("use_new_attention_order", [&] { unet_config_from_json(json.dump()); });
}

}  // namespace
}  // namespace eqm::test
