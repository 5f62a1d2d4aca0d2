#include "eqm/train/describe.h"

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/metrics.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

// What is said about a topic; empty when nothing is.
std::string about(const Lines& lines, const std::string& topic) {
  for (const auto& [name, text] : lines) {
    if (name == topic) return text;
  }
  return {};
}

Model named_model(ObjectiveKind kind = ObjectiveKind::eqm_dot) {
  Model model = model_of(small_sit(), kind);
  model.class_names = {"cat", "dog", "cow"};
  return model;
}

TEST(Describe, a_model) {
  const TemporaryFolder folder;
  save_model(named_model(), folder / "m.safetensors");
  const Lines lines = describe(folder / "m.safetensors");
  EXPECT_EQ(lines.front().first, "model");
  EXPECT_EQ(lines.front().second, (folder / "m.safetensors").string());
  EXPECT_EQ(about(lines, "architecture").substr(0, 5), "sit: ");
  EXPECT_NE(about(lines, "architecture").find("hidden_size 8"), std::string::npos);
  EXPECT_EQ(about(lines, "states"), "2 x 4 x 4");
  EXPECT_EQ(about(lines, "classes"), "3: 'cat', 'dog', 'cow'");
  EXPECT_EQ(about(lines, "objective"), "eqm-dot");
  EXPECT_EQ(about(lines, "landscape"), "c truncated, a 0.8, λ 4");
  EXPECT_EQ(about(lines, "output sign"), "");
}

TEST(Describe, how_many_numbers_a_model_has) {
  const TemporaryFolder folder;
  // 100 of the null class, 2 x 100 + 100, 100 x 100 + 100, 100 x 2 + 2
  const auto mlp = initialised<Mlp>(MlpConfig{.dimension = 2, .width = 100, .depth = 2});
  save_model(model_of(mlp, ObjectiveKind::eqm), folder / "m.safetensors");
  EXPECT_EQ(about(describe(folder / "m.safetensors"), "parameters"), "0.01 million");
}

TEST(Describe, a_flow_by_the_landscape_it_has) {
  const TemporaryFolder folder;
  Model model = named_model(ObjectiveKind::fm);
  model.output_sign = -1;
  model.class_names.clear();
  save_model(model, folder / "m.safetensors");
  const Lines lines = describe(folder / "m.safetensors");
  EXPECT_EQ(about(lines, "landscape").substr(0, 10), "c constant");
  EXPECT_EQ(about(lines, "output sign").substr(0, 2), "-1");
  EXPECT_EQ(about(lines, "classes"), "3");
}

TEST(Describe, the_first_of_many_classes) {
  const TemporaryFolder folder;
  SitConfig config = small_sit_config();
  config.num_classes = 40;
  Model model = model_of(small_sit(config), ObjectiveKind::eqm);
  for (int k = 0; k < 40; ++k) model.class_names.push_back("n" + std::to_string(k));
  save_model(model, folder / "m.safetensors");
  const std::string text = about(describe(folder / "m.safetensors"), "classes");
  EXPECT_EQ(text.substr(0, 10), "40: 'n0', ");
  EXPECT_EQ(text.substr(text.size() - 5), ", ...");
  EXPECT_EQ(text.find("n30"), std::string::npos);
  config.num_classes = 0;
  save_model(model_of(small_sit(config), ObjectiveKind::eqm), folder / "m.safetensors");
  EXPECT_EQ(about(describe(folder / "m.safetensors"), "classes"), "none");
}

class DescribeRun : public ::testing::Test {
 protected:
  DescribeRun() {
    create_folder(paths_.folder);
    write_file(paths_.config(), "steps = 3\n");
  }

  // Checkpoints at steps 1 and 2, metrics for three.
  void train() {
    TrainingState state(named_model(), {});
    for (int64_t step = 1; step <= 2; ++step) {
      train_to(step, state, {});
      save_checkpoint(paths_.checkpoints(), state, {});
    }
    MetricsLog log(paths_, 0);
    log.write(1, {{"loss", 4}});
    log.write(2, {{"loss", 2}});
    log.write(2, {{"held_out_loss", 7}});
    log.write(3, {{"loss", 1.23456}});
  }

  TemporaryFolder folder_;
  RunPaths paths_ = {.folder = folder_ / "run"};
};

TEST_F(DescribeRun, by_its_model_checkpoints_and_curve) {
  train();
  const Lines lines = describe(paths_.folder);
  EXPECT_EQ(lines.front().first, "run");
  EXPECT_EQ(about(lines, "objective"), "eqm-dot");
  EXPECT_EQ(about(lines, "checkpoints"), "at steps 1, 2");
  EXPECT_EQ(about(lines, "loss"), "1.235 at step 3");
  EXPECT_EQ(about(lines, "held-out loss"), "7 at step 2");
  EXPECT_EQ(about(lines, "").substr(0, 3), "█");
}

TEST_F(DescribeRun, that_has_no_checkpoint_yet) {
  MetricsLog(paths_, 0).write(1, {{"loss", 4}});
  const Lines lines = describe(paths_.folder);
  EXPECT_EQ(lines.front().first, "run");
  EXPECT_EQ(about(lines, "checkpoints"), "none yet");
  EXPECT_EQ(about(lines, "loss"), "4 at step 1");
  EXPECT_EQ(about(lines, "objective"), "");
}

TEST_F(DescribeRun, that_has_nothing_yet) {
  EXPECT_EQ(about(describe(paths_.folder), "checkpoints"), "none yet");
}

TEST_F(DescribeRun, by_one_of_its_checkpoints) {
  train();
  const Lines lines = describe(paths_.checkpoints() / "step-0000001");
  EXPECT_EQ(lines.front().first, "checkpoint");
  EXPECT_EQ(about(lines, "objective"), "eqm-dot");
  EXPECT_EQ(about(lines, "step"), "1");
  EXPECT_NE(about(lines, "loss").find("(step 1)"), std::string::npos) << about(lines, "loss");
}

TEST(Describe, refuses_what_is_not_ours) {
  const TemporaryFolder folder;
  expect_input_error("no model in the folder", [&] { describe(folder.path()); });
  write_file(folder / "text", "not a model at all, but longer than a header");
  expect_error(ErrorKind::input, "text", [&] { describe(folder / "text"); });
  expect_error(ErrorKind::io, "absent", [&] { describe(folder / "absent"); });
}

}  // namespace
}  // namespace eqm::test
