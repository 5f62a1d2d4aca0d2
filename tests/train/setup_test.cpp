#include "eqm/train/setup.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/made_idx.h"
#include "tests/support/made_picture.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

class Setup : public ::testing::Test {
 protected:
  // Options for a set written as `name`.
  TrainOptions options_for(const MadeSet& set, const std::string& name = "set.safetensors") {
    return tiny_options(write_set(folder_ / name, set));
  }

  TemporaryFolder folder_;
};

std::vector<std::string> names_in(const SourcePtr& source) {
  std::vector<std::string> names;
  for (int64_t i = 0; i < source->size(); ++i) names.push_back(source->name_of(i));
  return names;
}

// An error of this kind with this part, and a hint that contains `advice`.
void expect_advice(ErrorKind kind, const std::string& part, const std::string& advice,
                   const std::function<void()>& action) {
  expect_error(kind, part, [&] {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_NE(error.hint().find(advice), std::string::npos) << error.hint();
      throw;
    }
  });
}

TEST_F(Setup, pixels_keep_their_shape_and_classes_and_become_plus_minus_one) {
  for (const Shape& shape : {Shape{1, 8, 8}, Shape{3, 4, 4}}) {
    const TrainOptions options = options_for({.shape = shape, .classes = 4});
    const TrainingData data = open_training_data(options.data);
    EXPECT_EQ(data.shape, shape);
    EXPECT_EQ(data.codec.scaling(), Scaling::pixels());
    EXPECT_EQ(data.training->size(), 24);
    EXPECT_EQ(data.training->class_names(),
              (std::vector<std::string>{"class 0", "class 1", "class 2", "class 3"}));
    EXPECT_EQ(data.held_out, nullptr);
  }
}

TEST_F(Setup, states_that_are_no_pixels_are_scaled_as_asked) {
  TrainOptions options = options_for({.shape = {4, 8, 8}, .classes = 0, .type = torch::kFloat32});
  EXPECT_EQ(open_training_data(options.data).codec.scaling(), Scaling{});
  options.data.scale = 0.25;
  const TrainingData data = open_training_data(options.data);
  const Tensor value = torch::full({1, 4, 8, 8}, 8.0);
  EXPECT_TRUE(close(data.codec.to_states(value), value / 4, 1e-7));
  EXPECT_TRUE(data.training->class_names().empty());
}

TEST_F(Setup, without_a_test_part_some_examples_are_kept_aside) {
  for (const auto& [count, asked, expected] : std::vector<std::array<int64_t, 3>>{
           {100, 5, 5}, {100, 3, 3}, {100, 90, 10}, {25, 1000, 2}, {10, 1, 1}}) {
    TrainOptions options = options_for({.count = count});
    options.data.held_out = asked;
    const TrainingData data = open_training_data(options.data);
    ASSERT_NE(data.held_out, nullptr);
    EXPECT_EQ(data.held_out->size(), expected) << asked << " of " << count;
    std::set<std::string> seen;
    for (const SourcePtr& part : {data.training, data.held_out}) {
      const std::vector<std::string> names = names_in(part);
      seen.insert(names.begin(), names.end());
    }
    EXPECT_EQ(data.training->size() + data.held_out->size(), count) << "not disjoint";
    EXPECT_EQ(static_cast<int64_t>(seen.size()), count) << "does not cover";
    EXPECT_EQ(data.held_out->class_names(), data.training->class_names());
    EXPECT_FALSE(data.held_out_is_own);
    EXPECT_EQ(names_in(open_training_data(options.data).held_out), names_in(data.held_out));
  }
}

TEST_F(Setup, sets_too_small_to_spare_an_example_are_trained_on_as_a_whole) {
  TrainOptions options = options_for({.count = 9});
  options.data.held_out = 1000;
  const TrainingData data = open_training_data(options.data);
  EXPECT_EQ(data.held_out, nullptr);
  EXPECT_EQ(data.training->size(), 9);
}

TEST_F(Setup, named_data_are_held_out) {
  TrainOptions options = options_for({});
  options.data.held_out_data =
      write_set(folder_ / "other.safetensors", {.count = 12, .seed = 9}).string();
  options.data.held_out = 4;
  const TrainingData data = open_training_data(options.data);
  EXPECT_EQ(data.training->size(), 24);
  ASSERT_NE(data.held_out, nullptr);
  EXPECT_EQ(data.held_out->size(), 4);
  EXPECT_TRUE(data.held_out_is_own);
  EXPECT_NE(data.held_out->name_of(0).find("other.safetensors"), std::string::npos);
}

TEST_F(Setup, held_out_data_of_another_kind_are_refused) {
  TrainOptions options = options_for({});
  options.data.held_out = 4;
  for (const MadeSet& other : {MadeSet{.shape = {3, 8, 8}}, MadeSet{.shape = {1, 4, 4}},
                               MadeSet{.classes = 4}, MadeSet{.classes = 0}}) {
    options.data.held_out_data = write_set(folder_ / "other.safetensors", other).string();
    expect_input_error("other classes or shapes", [&] { open_training_data(options.data); });
  }
}

TEST_F(Setup, the_test_part_of_an_idx_folder_is_held_out) {
  const auto images = [](uint32_t count) {
    return idx_bytes(kIdxImages, {count, 4, 4}, std::string(count * 16, '\x07'));
  };
  const auto labels = [](uint32_t count) {
    return idx_bytes(kIdxLabels, {count}, std::string(count - 1, '\0') + '\x01');
  };
  write_file(folder_ / "train-images-idx3-ubyte", images(20));
  write_file(folder_ / "train-labels-idx1-ubyte", labels(20));
  write_file(folder_ / "t10k-images-idx3-ubyte", images(6));
  write_file(folder_ / "t10k-labels-idx1-ubyte", labels(6));
  TrainDataOptions options;
  options.data = folder_.path().string();
  const TrainingData data = open_training_data(options);
  EXPECT_EQ(data.training->size(), 20);
  ASSERT_NE(data.held_out, nullptr);
  EXPECT_EQ(data.held_out->size(), 6);
  EXPECT_EQ(data.shape, (Shape{1, 4, 4}));
}

TEST_F(Setup, data_that_do_not_exist_are_refused) {
  TrainDataOptions options;
  options.data = (folder_ / "absent").string();
  EXPECT_THROW(open_training_data(options), Error);
}

TEST_F(Setup, a_fresh_sit_fits_the_data) {
  const TrainOptions options = options_for({.shape = {3, 8, 8}, .classes = 5});
  const TrainingData data = open_training_data(options.data);
  const Model model = make_model(options, data);
  EXPECT_EQ(model.backbone->state_shape(), (Shape{3, 8, 8}));
  EXPECT_EQ(model.backbone->num_classes(), 5);
  EXPECT_EQ(model.backbone->null_label(), 5);
  EXPECT_EQ(model.class_names, data.training->class_names());
  EXPECT_EQ(model.scaling, Scaling::pixels());
  EXPECT_EQ(model.output_sign, 1);
  const auto json = nlohmann::json::parse(model.backbone->architecture());
  EXPECT_EQ(json.at("hidden_size"), 16);
  EXPECT_EQ(json.at("depth"), 1);
  EXPECT_EQ(json.at("num_heads"), 2);
  EXPECT_EQ(json.at("patch_size"), 4);
  EXPECT_EQ(json.at("class_dropout_prob"), 0.1);
}

TEST_F(Setup, a_fresh_unet_fits_the_data) {
  TrainOptions options = options_for({.shape = {1, 8, 8}, .classes = 5});
  options.model.model = "unet-small";
  options.model.width = 64;
  options.model.dropout = 0.2;
  const TrainingData data = open_training_data(options.data);
  const Model model = make_model(options, data);
  EXPECT_EQ(model.backbone->state_shape(), (Shape{1, 8, 8}));
  EXPECT_EQ(model.backbone->num_classes(), 5);
  EXPECT_EQ(model.backbone->null_label(), 5);
  const auto json = nlohmann::json::parse(model.backbone->architecture());
  EXPECT_EQ(json.at("out_channels"), 1);
  EXPECT_EQ(json.at("model_channels"), 64);
  EXPECT_EQ(json.at("num_res_blocks"), 1);
  EXPECT_EQ(json.at("num_heads"), 2);
  EXPECT_EQ(json.at("dropout"), 0.2);
  EXPECT_EQ(json.at("ignore_time"), false);
  const auto weights = static_cast<double>(parameter_count(*model.backbone));
  EXPECT_GT(least_memory(options, data), 5 * 4 * weights);
  options.model.time_input = false;
  EXPECT_LT(static_cast<double>(parameter_count(*make_model(options, data).backbone)), weights);
}

TEST_F(Setup, without_classes_every_sample_is_of_the_null_class) {
  TrainOptions options = options_for({.classes = 0});
  options.model.label_dropout = 0;
  const Model model = make_model(options, open_training_data(options.data));
  EXPECT_EQ(model.backbone->num_classes(), 0);
  EXPECT_EQ(model.backbone->null_label(), 0);
}

// Doubling the rows of a part doubles what they keep; the weights stay.
TEST_F(Setup, memory_grows_with_batch_and_width) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  const double once = least_memory(options, data);
  const auto weights = static_cast<double>(parameter_count(*make_model(options, data).backbone));
  EXPECT_GT(once, 5 * 4 * weights * 0.9);
  options.batch *= 2;
  const double twice = least_memory(options, data);
  EXPECT_GT(twice, once);
  options.accumulate *= 2;
  EXPECT_DOUBLE_EQ(least_memory(options, data), once);
  options.model.width = 4 * 1024;
  EXPECT_GT(least_memory(options, data), 100 * once);
}

TEST_F(Setup, presets_give_the_sizes_that_are_not_chosen) {
  TrainOptions options = options_for({});
  options.model = {};
  options.model.model = "XS/2";
  const Model model = make_model(options, open_training_data(options.data));
  const auto json = nlohmann::json::parse(model.backbone->architecture());
  EXPECT_EQ(json.at("hidden_size"), sit_preset("XS/2").hidden_size);
  EXPECT_EQ(json.at("depth"), sit_preset("XS/2").depth);
  EXPECT_EQ(json.at("num_heads"), sit_preset("XS/2").num_heads);
}

TEST_F(Setup, vectors_are_for_an_mlp) {
  for (const auto& [name, kind] : field_objective_names()) {
    TrainOptions options = options_for({.shape = {3}, .classes = 2, .type = torch::kFloat32});
    options.model.model = "mlp";
    options.model.width = 12;
    options.model.depth = 2;
    options.objective.kind = kind;
    const Model model = make_model(options, open_training_data(options.data));
    EXPECT_EQ(model.backbone->state_shape(), Shape{3});
    EXPECT_EQ(model.backbone->num_classes(), 2);
    EXPECT_EQ(model.objective.kind, kind);
    const auto json = nlohmann::json::parse(model.backbone->architecture());
    EXPECT_EQ(json.at("width"), 12);
    EXPECT_EQ(json.at("depth"), 2);
    EXPECT_EQ(json.at("time_input"), sees_time(kind)) << name;
  }
}

TEST_F(Setup, fresh_weights_follow_from_the_seed) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  const auto weights = [&](int64_t seed) {
    options.seed = seed;
    return weights_of(*make_model(options, data).backbone);
  };
  EXPECT_TRUE(same_bits(weights(3), weights(3)));
  EXPECT_FALSE(same_bits(weights(3), weights(4)));
}

TEST_F(Setup, models_that_do_not_fit_the_data_are_refused_with_advice) {
  const auto make = [this](const MadeSet& set, const std::string& model) {
    TrainOptions options = options_for(set);
    options.model.model = model;
    return [options] { make_model(options, open_training_data(options.data)); };
  };
  const MadeSet vectors = {.shape = {3}, .type = torch::kFloat32};
  expect_advice(ErrorKind::usage, "images of 6x6 cannot be cut into patches of 4x4", "XS/2",
                make({.shape = {1, 6, 6}}, "XS/4"));
  expect_advice(ErrorKind::usage, "images of 5x5 cannot be cut into patches of 2x2", "XS/1",
                make({.shape = {1, 5, 5}}, "XS/2"));
  expect_advice(ErrorKind::input, "square images", "{size}", make({.shape = {1, 8, 4}}, "XS/4"));
  expect_advice(ErrorKind::input, "square images", "{model} mlp", make(vectors, "XS/4"));
  expect_advice(ErrorKind::input, "an MLP learns vectors", "{model} XS/4", make({}, "mlp"));
  expect_advice(ErrorKind::input, "two classes or more", "one folder per class",
                make({.classes = 0}, "convnet"));
  expect_advice(ErrorKind::input, "square images", "{size}", make({.shape = {1, 8, 4}}, "convnet"));
  expect_advice(ErrorKind::usage, "images of 6x6 cannot be halved 2 times", "{size} 8",
                make({.shape = {1, 6, 6}}, "unet-small"));
  expect_advice(ErrorKind::input, "square images", "{size}",
                make({.shape = {1, 8, 4}}, "unet-small"));
  expect_advice(ErrorKind::usage, "unknown model 'unet-tiny'", "unet-",
                make({.shape = {1, 8, 8}}, "unet-tiny"));
  expect_advice(ErrorKind::usage, "unknown model 'XS/3'", "XS/", make({}, "XS/3"));
}

TEST_F(Setup, begins_with_the_weights_of_a_trained_model) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  options.seed = 5;
  Model trained = make_model(options, data);
  trained.output_sign = -1;
  save_model(trained, folder_ / "trained.safetensors");
  options.seed = 6;
  options.objective.kind = ObjectiveKind::eqm_l2;
  options.model.init = (folder_ / "trained.safetensors").string();
  const Model model = make_model(options, data);
  EXPECT_TRUE(same_bits(weights_of(*model.backbone), weights_of(*trained.backbone)));
  EXPECT_EQ(model.output_sign, -1);
  EXPECT_EQ(model.objective.kind, ObjectiveKind::eqm_l2);
}

TEST_F(Setup, does_not_ask_for_a_beginning_that_a_checkpoint_will_replace) {
  TrainOptions options = options_for({});
  options.model.init = (folder_ / "absent.safetensors").string();
  const TrainingData data = open_training_data(options.data);
  EXPECT_EQ(make_model(options, data, ModelStart::as_built).backbone->num_classes(), 3);
  expect_error(ErrorKind::io, "absent", [&] { make_model(options, data); });
}

TEST_F(Setup, begins_with_imported_weights_without_the_outputs_they_drop) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  Model trained = make_model(options, data);
  auto config = dynamic_cast<const Sit&>(*trained.backbone).config();
  config.learn_sigma = true;
  const auto imported = initialised<Sit>(config);
  shake(*imported, 0.1);
  trained.backbone = imported;
  trained.output_sign = -1;
  save_model(trained, folder_ / "imported.safetensors");
  options.model.init = (folder_ / "imported.safetensors").string();
  const Model begun = make_model(options, data);
  EXPECT_EQ(begun.output_sign, -1);
  Shape shape = data.shape;
  shape.insert(shape.begin(), 2);
  const Tensor x = torch::ones(shape, options_of(*imported));
  EXPECT_TRUE(torch::allclose(begun.backbone->forward(x, {}).output,
                              imported->forward(x, {}).output, 1e-5, 1e-6));
}

TEST_F(Setup, a_network_without_class_input_knows_no_classes) {
  TrainOptions options = options_for({.classes = 4});
  options.model.class_input = false;
  const TrainingData data = open_training_data(options.data);
  const Model model = make_model(options, data);
  EXPECT_EQ(model.backbone->num_classes(), 0);
  EXPECT_TRUE(model.class_names.empty());
}

TEST_F(Setup, eqm_l2_begins_with_eqm_only) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  options.objective.kind = ObjectiveKind::eqm_dot;
  save_model(make_model(options, data), folder_ / "trained.safetensors");
  options.model.init = (folder_ / "trained.safetensors").string();
  make_model(options, data);
  options.objective.kind = ObjectiveKind::eqm_l2;
  expect_input_error("trained as eqm-dot", [&] { make_model(options, data); });
}

TEST_F(Setup, begins_with_the_model_of_a_run_folder) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  create_folder(folder_ / "run/checkpoints/step-0000004");
  options.seed = 5;
  const Model trained = make_model(options, data);
  save_model(trained, folder_ / "run/checkpoints/step-0000004/model.safetensors");
  options.seed = 6;
  options.model.init = (folder_ / "run").string();
  EXPECT_TRUE(
      same_bits(weights_of(*make_model(options, data).backbone), weights_of(*trained.backbone)));
}

TEST_F(Setup, a_beginning_of_another_architecture_is_refused) {
  TrainOptions options = options_for({});
  const TrainingData data = open_training_data(options.data);
  save_model(make_model(options, data), folder_ / "trained.safetensors");
  options.model.init = (folder_ / "trained.safetensors").string();
  options.model.width = 32;
  expect_input_error("another architecture", [&] { make_model(options, data); });
  options.model.init = folder_.path().string();
  expect_input_error("no model in the folder", [&] { make_model(options, data); });
  options.model.init = (folder_ / "set.safetensors").string();
  expect_input_error("not an eqm model", [&] { make_model(options, data); });
}

RunIdentity identity_for(const TrainOptions& options) {
  const TrainingData data = open_training_data(options.data);
  return identity_of(options, data, make_model(options, data));
}

TEST_F(Setup, the_identity_is_the_same_for_the_same_run) {
  TrainOptions options = options_for({});
  const RunIdentity first = identity_for(options);
  EXPECT_EQ(identity_for(options), first);
  // What may change when a run goes on.
  options.steps = 1000;
  options.schedule.lr = 0.5;
  options.cadence.keep_last = 9;
  options.data.loader_threads = 3;
  options.data.cache_mb = 0;
  EXPECT_EQ(identity_for(options), first);
  // The same bytes in another place are the same data.
  options.data.data = write_set(folder_ / "copy.safetensors", {}).string();
  EXPECT_EQ(identity_for(options), first);
}

TEST_F(Setup, the_identity_changes_with_what_a_run_is_made_of) {
  const TrainOptions options = options_for({});
  const RunIdentity first = identity_for(options);
  const auto expect_change = [&](const std::string& name,
                                 const std::function<void(TrainOptions&)>& change) {
    TrainOptions other = options;
    change(other);
    const RunIdentity identity = identity_for(other);
    ASSERT_TRUE(identity.contains(name));
    EXPECT_NE(identity.at(name), first.at(name)) << name;
  };
  expect_change("seed", [](TrainOptions& o) { o.seed = 1; });
  expect_change("batch", [](TrainOptions& o) { o.batch = 5; });
  expect_change("architecture", [](TrainOptions& o) { o.model.depth = 2; });
  expect_change("objective", [](TrainOptions& o) { o.objective.kind = ObjectiveKind::eqm_dot; });
  expect_change("landscape", [](TrainOptions& o) { o.objective.magnitude.lambda = 2; });
  expect_change("landscape", [](TrainOptions& o) { o.objective.magnitude.a = 0.7; });
  expect_change("landscape",
                [](TrainOptions& o) { o.objective.magnitude.kind = MagnitudeKind::linear; });
  expect_change("dispersive weight", [](TrainOptions& o) { o.objective.dispersive_weight = 0.5; });
  expect_change("label dropout", [](TrainOptions& o) { o.model.label_dropout = 0.2; });
  expect_change("flip", [](TrainOptions& o) { o.data.flip = true; });
  expect_change("data set", [](TrainOptions& o) { o.data.held_out = 2; });
  for (const MadeSet& set : {MadeSet{.seed = 1}, MadeSet{.count = 25}, MadeSet{.classes = 4}}) {
    expect_change("data set", [&](TrainOptions& o) {
      o.data.data = write_set(folder_ / "other.safetensors", set).string();
    });
  }
}

TEST_F(Setup, the_identity_knows_scale_and_precision) {
  TrainOptions options = options_for({.shape = {1, 8, 8}, .type = torch::kFloat32});
  const RunIdentity first = identity_for(options);
  options.data.scale = 0.5;
  EXPECT_NE(identity_for(options).at("scale"), first.at("scale"));
  const TrainingData data = open_training_data(options.data);
  const Model model = make_model(options, data);
  model.backbone->to(torch::kFloat64);
  EXPECT_NE(identity_of(options, data, model).at("precision"), first.at("precision"));
}

class DamagedImages : public Setup {
 protected:
  // Forty images in two classes; some, the very first among them, are no images.
  DamagedImages() {
    for (int i = 0; i < 40; ++i) {
      const std::string name = std::string(i % 2 == 0 ? "a/" : "b/") + std::to_string(100 + i);
      create_folder((folder_ / ("set/" + name)).parent_path());
      const std::string content =
          i % 8 == 0 ? "damaged" : png_of(plain_image(8, 8, 1, static_cast<uint8_t>(i)));
      write_file(folder_ / ("set/" + name + ".png"), content);
    }
    options_.data = (folder_ / "set").string();
    options_.channels = 1;
  }

  TrainDataOptions options_;
};

TEST_F(DamagedImages, do_not_hide_the_shape_of_the_others) {
  options_.held_out = 0;
  options_.skip_damaged = true;
  EXPECT_EQ(open_training_data(options_).shape, (Shape{1, 8, 8}));
}

TEST_F(DamagedImages, are_not_held_out_when_they_are_to_be_skipped) {
  options_.held_out = 4;
  options_.skip_damaged = true;
  const TrainingData data = open_training_data(options_);
  ASSERT_NE(data.held_out, nullptr);
  for (int64_t i = 0; i < data.held_out->size(); ++i) {
    EXPECT_EQ(data.held_out->get(i).shape, data.shape);
  }
}

}  // namespace
}  // namespace eqm::test
