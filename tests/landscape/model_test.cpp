#include "eqm/landscape/model.h"

#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/backbone/convnet.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

Model sample_model() {
  SitConfig config = small_sit_config();
  config.mlp_ratio = 1.5;
  config.class_dropout_prob = 0.25;
  Model model = model_of(small_sit(config), ObjectiveKind::eqm_l2, -1);
  model.objective.magnitude = {.kind = MagnitudeKind::piecewise, .a = 0.7, .b = 1.1, .lambda = 2.5};
  model.objective.dispersive_weight = 0.5;
  model.class_names = {"cat", "chien \"gentil\"", "Hündin"};
  return model;
}

// A file like save_model's, with its card changed by hand.
template <class Change>
std::filesystem::path with_card(const TemporaryFolder& folder, const Model& model,
                                const Change& change) {
  const auto good = folder / "good.safetensors", bad = folder / "bad.safetensors";
  save_model(model, good);
  const SafetensorsFile file = SafetensorsFile::open(good);
  std::vector<NamedTensor> tensors;
  for (const std::string& name : file.names()) tensors.push_back({name, file.at(name)});
  nlohmann::json card = nlohmann::json::parse(file.metadata().at("eqm"));
  const std::string text = change(card);
  write_safetensors(bad, tensors, {{"eqm", text}});
  return bad;
}

std::filesystem::path with_entry(const TemporaryFolder& folder, const std::string& pointer,
                                 const nlohmann::json& value) {
  return with_card(folder, sample_model(), [&](nlohmann::json& card) {
    card[nlohmann::json::json_pointer(pointer)] = value;
    return card.dump();
  });
}

TEST(ModelFile, round_trip_keeps_everything) {
  const TemporaryFolder folder;
  const Model model = sample_model();
  save_model(model, folder / "m.safetensors");
  const Model again = load_model(folder / "m.safetensors");
  EXPECT_EQ(again.backbone->architecture(), model.backbone->architecture());
  EXPECT_EQ(again.objective.kind, ObjectiveKind::eqm_l2);
  EXPECT_EQ(again.objective.magnitude.kind, MagnitudeKind::piecewise);
  EXPECT_EQ(again.objective.magnitude.a, 0.7);
  EXPECT_EQ(again.objective.magnitude.b, 1.1);
  EXPECT_EQ(again.objective.magnitude.lambda, 2.5);
  EXPECT_EQ(again.objective.dispersive_weight, 0.5);
  EXPECT_EQ(again.output_sign, -1);
  EXPECT_EQ(again.class_names, model.class_names);
  const Tensor x = normal(1, 2, {2, 4, 4});
  again.backbone->to(torch::kFloat64);
  // Loading rounds to float32, the precision networks are built in.
  EXPECT_TRUE(
      close(LearnedField(again).gradient(x, {}), LearnedField(model).gradient(x, {}), 1e-5));
}

TEST(ModelFile, float32_weights_come_back_bit_for_bit_and_files_are_reproducible) {
  const TemporaryFolder folder;
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::fm}) {
    const Model model =
        model_of(initialised<Mlp>(MlpConfig{.fourier = 3, .time_input = true}), kind);
    save_model(model, folder / "a.safetensors");
    const Model again = load_model(folder / "a.safetensors");
    const auto before = model.backbone->parameters(), after = again.backbone->parameters();
    ASSERT_EQ(before.size(), after.size());
    for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(before[i], after[i]));
    EXPECT_EQ(again.objective.kind, kind);
  }
}

TEST(ModelFile, is_loaded_in_the_precision_of_a_runtime) {
  const TemporaryFolder folder;
  const Model model = model_of(initialised<Mlp>(MlpConfig{.width = 8}), ObjectiveKind::eqm);
  save_model(model, folder / "a.safetensors");
  const Model wide = load_model(folder / "a.safetensors", torch::kFloat64);
  EXPECT_EQ(options_of(*wide.backbone).dtype(), torch::kFloat64);
  EXPECT_EQ(options_of(*load_model(folder / "a.safetensors").backbone).dtype(), torch::kFloat32);
}

TEST(ModelFile, a_foreign_safetensors_file_is_refused) {
  const TemporaryFolder folder;
  const Tensor t = torch::ones({2});
  write_safetensors(folder / "f.safetensors", {{"t", to_view(t)}}, {{"format", "pt"}});
  expect_input_error("not an eqm model", [&] { load_model(folder / "f.safetensors"); });
}

TEST(ModelFile, a_damaged_card_is_refused) {
  const TemporaryFolder folder;
  for (const std::string text :
       {"", "{", "[]", "42", "{\"format\":1}", "null", "{\"format\":\"one\"}"}) {
    const auto path = with_card(folder, sample_model(), [&](nlohmann::json&) { return text; });
    SCOPED_TRACE(text);
    expect_error(ErrorKind::input, "bad.safetensors", [&] { load_model(path); });
  }
}

TEST(ModelFile, every_missing_entry_is_refused) {
  const TemporaryFolder folder;
  for (const std::string key : {"format", "architecture", "objective", "dispersive_weight",
                                "landscape", "output_sign", "class_names"}) {
    const auto path = with_card(folder, sample_model(), [&](nlohmann::json& card) {
      card.erase(key);
      return card.dump();
    });
    SCOPED_TRACE(key);
    expect_error(ErrorKind::input, "bad.safetensors", [&] { load_model(path); });
  }
  for (const std::string key : {"kind", "input_size", "hidden_size", "learn_sigma", "mlp_ratio"}) {
    const auto path = with_card(folder, sample_model(), [&](nlohmann::json& card) {
      card["architecture"].erase(key);
      return card.dump();
    });
    SCOPED_TRACE(key);
    expect_error(ErrorKind::input, "bad.safetensors", [&] { load_model(path); });
  }
}

TEST(ModelFile, wrong_values_are_refused) {
  const TemporaryFolder folder;
  const std::vector<std::pair<std::string, nlohmann::json>> wrong = {
      {"/format", 2},
      {"/format", -1},
      {"/objective", "eqm-cubed"},
      {"/objective", 3},
      {"/landscape/c", "wavy"},
      {"/landscape/a", 1.5},
      {"/landscape/a", "much"},
      {"/landscape/lambda", -4},
      {"/output_sign", 0},
      {"/output_sign", 2},
      {"/class_names", "cat"},
      {"/class_names", {1, 2}},
      {"/architecture", "sit"},
      {"/architecture/kind", "resnet"},
      {"/architecture/patch_size", 0},
      {"/architecture/patch_size", 3},
      {"/architecture/num_heads", 0},
      {"/architecture/num_heads", 3},
      {"/architecture/hidden_size", -8},
      {"/architecture/depth", 0},
      {"/architecture/depth", 3},  // sane, but not what the weights are
      {"/architecture/mlp_ratio", -1}};
  for (const auto& [pointer, value] : wrong) {
    const auto path = with_entry(folder, pointer, value);
    SCOPED_TRACE(pointer + " = " + value.dump());
    expect_error(ErrorKind::input, "bad.safetensors", [&] { load_model(path); });
  }
}

TEST(ModelFile, insane_sizes_are_refused_before_memory_is_asked_for) {
  const TemporaryFolder folder;
  for (const auto& [key, value] : std::vector<std::pair<std::string, int64_t>>{
           {"hidden_size", int64_t{1} << 40},
           {"hidden_size", 16384},  // allowed by the rules: 8 GB for these two blocks
           {"depth", 1 << 30},
           {"depth", 1024},
           {"num_classes", int64_t{1} << 50},
           {"num_classes", 10'000'000},
           {"input_size", int64_t{1} << 60},
           {"in_channels", 1 << 30},
           {"num_heads", int64_t{1} << 62}}) {
    const auto path = with_entry(folder, "/architecture/" + key, value);
    SCOPED_TRACE(key);
    expect_error(ErrorKind::input, "bad.safetensors", [&] { load_model(path); });
  }
  const auto path = with_card(folder, sample_model(), [](nlohmann::json& card) {
    card["architecture"]["hidden_size"] = 16384;
    card["architecture"]["depth"] = 1024;
    return card.dump();
  });
  expect_input_error("weights", [&] { load_model(path); });
}

TEST(ModelFile, missing_files_are_io_errors) {
  expect_error(ErrorKind::io, "none.safetensors", [] { load_model("/nowhere/none.safetensors"); });
}

TEST(LearnedField, sign_turns_the_gradient) {
  const auto mlp = small_mlp();
  const Tensor x = normal(2, 3, {3});
  const auto field = [&](double sign) {
    return LearnedField(model_of(mlp, ObjectiveKind::eqm, sign));
  };
  EXPECT_TRUE(torch::equal(field(-1).gradient(x, {}), -field(1).gradient(x, {})));
}

TEST(LearnedField, hides_time_from_models_that_never_saw_it) {
  const Tensor x = normal(3, 2, {2, 4, 4});
  const Condition timed = {.labels = {}, .time = torch::tensor({0.3, 0.8}, torch::kFloat64)};
  for (const auto& [name, kind] : field_objective_names()) {
    const LearnedField field(model_of(small_sit(), kind));
    const bool same = torch::equal(field.gradient(x, timed), field.gradient(x, {}));
    EXPECT_EQ(same, !sees_time(kind)) << name;
  }
}

TEST(LearnedField, answers_the_same_from_several_threads_at_once) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot}) {
    const LearnedField field(model_of(small_sit(), kind));
    constexpr size_t kThreads = 4;
    std::vector<Tensor> states, expected;
    for (size_t i = 0; i < kThreads; ++i) {
      states.push_back(normal(10 + i, 3, {2, 4, 4}));
      expected.push_back(field.gradient(states[i], {}));
    }
    std::vector<int> equal(kThreads, 0);
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        for (int repeat = 0; repeat < 15; ++repeat) {
          equal[i] += close(field.gradient(states[i], {}), expected[i], 1e-14) ? 1 : 0;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(equal, std::vector<int>(kThreads, 15));
  }
}

TEST(LearnedField, a_classifier_has_none) {
  const auto net = std::make_shared<ConvNet>(ConvNetConfig{.width = 2, .features = 3});
  expect_input_error("is a classifier",
                     [&] { LearnedField refused(model_of(net, ObjectiveKind::classifier)); });
}

}  // namespace
}  // namespace eqm::test
