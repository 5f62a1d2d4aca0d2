#include "eqm/landscape/import_model.h"

#include <gtest/gtest.h>

#include "eqm/backbone/weights.h"
#include "eqm/landscape/reference_form.h"
#include "eqm/landscape/training_arguments.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/pickle_builder.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using namespace pickled;

const ShapeHints kHints = {.heads = 2, .classes = 3};

ImportOptions options_with(const ShapeHints& hints) {
  ImportOptions options;
  options.hints = hints;
  return options;
}

// A PyTorch file with these tensors; its storages hold their elements in order.
std::string checkpoint_of(const NamedTensors& tensors) {
  std::vector<std::pair<std::string, std::string>> items;
  std::map<std::string, std::string> storages;
  for (const auto& [name, tensor] : tensors) {
    const std::string key = std::to_string(storages.size());
    const Tensor flat = tensor.detach().contiguous();
    storages[key] = {static_cast<const char*>(flat.data_ptr()), flat.nbytes()};
    const std::string type = tensor.scalar_type() == torch::kFloat64    ? "DoubleStorage"
                             : tensor.scalar_type() == torch::kFloat16  ? "HalfStorage"
                             : tensor.scalar_type() == torch::kBFloat16 ? "BFloat16Storage"
                             : tensor.scalar_type() == torch::kInt64    ? "LongStorage"
                                                                        : "FloatStorage";
    items.emplace_back(name, pickled::tensor(storage(type, key, flat.numel()), 0,
                                             flat.sizes().vec(), flat.strides().vec()));
  }
  return torch_zip(dict(items), storages);
}

NamedTensors weights_as(const Backbone& backbone, torch::ScalarType type) {
  NamedTensors weights;
  for (const auto& [name, weight] : weights_of(backbone)) {
    weights.emplace_back(name, weight.detach().to(type));
  }
  return weights;
}

std::filesystem::path write_checkpoint(const TemporaryFolder& folder, const NamedTensors& tensors) {
  write_file(folder / "model.pt", checkpoint_of(tensors));
  return folder / "model.pt";
}

TEST(ImportModel, keeps_the_precision_of_the_file) {
  const TemporaryFolder folder;
  const auto sit = small_sit();
  for (const auto type : {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16}) {
    const NamedTensors weights = weights_as(*sit, type);
    const auto out = folder / "out.safetensors";
    import_model(write_checkpoint(folder, weights), out, options_with(kHints));
    const SafetensorsFile file = SafetensorsFile::open(out);
    for (const auto& [name, weight] : weights) {
      EXPECT_TRUE(torch::equal(read_tensor(file, name), weight)) << name << " " << type;
    }
    EXPECT_NO_THROW(load_model(out));
  }
}

TEST(ImportModel, stores_another_precision_when_asked) {
  const TemporaryFolder folder;
  const auto sit = small_sit();
  ImportOptions options = options_with(kHints);
  options.stored = torch::kFloat16;
  const auto path = write_checkpoint(folder, weights_as(*sit, torch::kFloat32));
  import_model(path, folder / "out.safetensors", options);
  const SafetensorsFile file = SafetensorsFile::open(folder / "out.safetensors");
  EXPECT_EQ(file.at("pos_embed").dtype, Dtype::f16);
}

TEST(ImportModel, reads_safetensors_but_not_our_own_models) {
  const TemporaryFolder folder;
  const Model model = model_of(small_sit(), ObjectiveKind::eqm);
  const auto a = folder / "a.safetensors", b = folder / "b.safetensors";
  save_tensors(a, weights_of(*model.backbone));
  import_model(a, b, options_with(kHints));
  const SafetensorsFile before = SafetensorsFile::open(a), after = SafetensorsFile::open(b);
  ASSERT_EQ(before.names(), after.names());
  for (const std::string& name : before.names()) {
    EXPECT_TRUE(torch::equal(read_tensor(before, name), read_tensor(after, name))) << name;
  }
  save_model(model, a);
  expect_input_error("is a model of eqm already",
                     [&] { import_model(a, b, options_with(kHints)); });
}

TEST(ImportModel, states_are_pixels_or_latents_by_their_channels) {
  const TemporaryFolder folder;
  for (const int64_t channels : {3, 4}) {
    SitConfig config = small_sit_config();
    config.in_channels = channels;
    import_model(write_checkpoint(folder, weights_as(*small_sit(config), torch::kFloat32)),
                 folder / "out.safetensors", options_with(kHints));
    const Model model = load_model(folder / "out.safetensors");
    EXPECT_EQ(model.scaling,
              channels == 3 ? Scaling::pixels() : (Scaling{.centre = {0}, .unit = 1 / 0.18215}));
    EXPECT_EQ(model.output_sign, -1);
  }
}

TEST(ImportModel, refuses_and_leaves_nothing) {
  const TemporaryFolder folder;
  const auto sit = small_sit();
  const auto refuse = [&](const std::string& part, const NamedTensors& weights) {
    SCOPED_TRACE(part);
    const auto path = write_checkpoint(folder, weights);
    expect_input_error(
        part, [&] { import_model(path, folder / "out.safetensors", options_with(kHints)); });
    EXPECT_EQ(folder.names(), std::vector<std::string>{"model.pt"});
  };
  NamedTensors weights = weights_as(*sit, torch::kFloat32);
  weights.emplace_back("more", torch::zeros({2}));
  refuse("'more' is too many", weights);
  weights = weights_as(*sit, torch::kFloat32);
  weights.pop_back();
  refuse("is missing", weights);
  refuse("are I64, not numbers with a fraction", weights_as(*sit, torch::kInt64));
}

TEST(ImportModel, compares_checksums_unless_told_not_to) {
  const TemporaryFolder folder;
  NamedTensors weights = weights_as(*small_sit(), torch::kFloat32);
  for (auto& [name, weight] : weights) {
    if (name == "t_embedder.mlp.2.bias") weight.fill_(1.0);
  }
  std::string file = checkpoint_of(weights);
  const std::string ones("\0\0\x80\x3f\0\0\x80\x3f\0\0\x80\x3f", 12);
  ASSERT_NE(file.find(ones), std::string::npos);
  file[file.find(ones)] = '\1';
  write_file(folder / "model.pt", file);
  ImportOptions options = options_with(kHints);
  expect_input_error(
      "checksum", [&] { import_model(folder / "model.pt", folder / "out.safetensors", options); });
  options.check = false;
  EXPECT_NO_THROW(import_model(folder / "model.pt", folder / "out.safetensors", options));
}

TEST(TrainingArguments, tell_the_objective) {
  const auto kind = [](const TrainingArguments& arguments) {
    return name_of(objective_from(arguments).kind);
  };
  EXPECT_EQ(kind({}), "eqm");
  EXPECT_EQ(kind({{"uncond", "True"}, {"ebm", "none"}}), "eqm");
  EXPECT_EQ(kind({{"uncond", "False"}, {"ebm", "none"}}), "eqm-noise-condition");
  EXPECT_EQ(kind({{"uncond", "True"}, {"ebm", "dot"}}), "eqm-dot");
  EXPECT_EQ(kind({{"uncond", "True"}, {"ebm", "mean"}}), "eqm-dot");
  EXPECT_EQ(kind({{"uncond", "True"}, {"ebm", "l2"}}), "eqm-l2");
  EXPECT_EQ(kind({{"path_type", "Linear"}, {"prediction", "velocity"}}), "fm");
  EXPECT_EQ(objective_from({{"disp", "True"}}).dispersive_weight, 0.5);
  expect_input_error("prediction 'noise'", [&] { kind({{"prediction", "noise"}}); });
  expect_input_error("path_type 'GVP'", [&] { kind({{"path_type", "GVP"}}); });
  expect_input_error("ebm 'new'", [&] { kind({{"uncond", "True"}, {"ebm", "new"}}); });
  expect_input_error("noise conditioning", [&] { kind({{"uncond", "False"}, {"ebm", "dot"}}); });
  EXPECT_EQ(classes_from({{"num_classes", "1000"}}), 1000);
  EXPECT_EQ(classes_from({{"num_classes", "many"}}), 0);
  EXPECT_EQ(classes_from({}), 0);
}

TEST(ReferenceForm, turns_the_network_over_and_keeps_the_field) {
  for (const auto kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot, ObjectiveKind::eqm_l2}) {
    Model model = model_of(small_sit(), kind);
    const Tensor x = normal(5, 2, model.backbone->state_shape());
    const Condition condition = {.labels = torch::tensor({0, 2}), .time = {}};
    const Tensor output = model.backbone->forward(x, condition).output.detach();
    const Tensor gradient = LearnedField(model).gradient(x, condition);
    give_reference_sign(model);
    EXPECT_EQ(model.output_sign, -1);
    EXPECT_TRUE(close(model.backbone->forward(x, condition).output, -output, 1e-12));
    EXPECT_TRUE(close(LearnedField(model).gradient(x, condition), gradient, 1e-12));
    give_reference_sign(model);  // a second time changes nothing
    EXPECT_TRUE(close(model.backbone->forward(x, condition).output, -output, 1e-12));
  }
  Model plane = model_of(small_mlp(), ObjectiveKind::eqm);
  expect_error(ErrorKind::usage, "no module for this network", [&] { give_reference_sign(plane); });
}

}  // namespace
}  // namespace eqm::test
