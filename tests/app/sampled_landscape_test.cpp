#include "eqm/app/sampled_landscape.h"

#include <gtest/gtest.h>

#include "eqm/app/sample.h"
#include "tests/app/app_models.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using app::open_landscape;
using app::SampledLandscape;
using app::UnnamedClasses;

class MixedModelFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, Model model) const {
    save_model(model, folder_ / name);
    return (folder_ / name).string();
  }

  SampledLandscape open(const std::string& mix, const std::string& model) const {
    return open_landscape(model, {.mix = mix}, UnnamedClasses::first_ten, torch::kFloat32,
                          *silent_logger());
  }

  TemporaryFolder folder_;
  std::string a_ = write("a.safetensors", picture_model());
  std::string b_ = write("b.safetensors", picture_model(ObjectiveKind::eqm_dot, 2));
};

TEST_F(MixedModelFiles, become_one_field_with_the_labels_of_each) {
  const SampledLandscape mixed = open("class 1:1," + b_ + "@class 0:0.5," + b_ + "@null:-0.25", a_);
  EXPECT_EQ(mixed.field->label_count(), 4 + 3);  // with a null class each
  ASSERT_EQ(mixed.rows.size(), 1U);
  const std::vector<Term>& terms = mixed.rows[0].terms.list;
  ASSERT_EQ(terms.size(), 3U);
  EXPECT_EQ(terms[0].label, 1);
  EXPECT_EQ(terms[1].label, 4);
  EXPECT_EQ(terms[1].weight, 0.5);
  EXPECT_EQ(terms[2].label, 4 + 2);
  EXPECT_EQ(mixed.model_name, a_);
  EXPECT_FALSE(mixed.field->has_energy());
}

TEST_F(MixedModelFiles, of_one_file_under_two_names_are_one_model) {
  const SampledLandscape same =
      open("class 1:1," + (folder_ / "." / "a.safetensors").string() + "@class 2:1", a_);
  EXPECT_EQ(same.field->label_count(), 4);
  EXPECT_EQ(same.rows[0].terms.list[1].label, 2);
}

TEST_F(MixedModelFiles, need_no_model_beside_them) {
  const SampledLandscape mixed = open(b_ + "@class 0," + a_ + "@class 2", "");
  EXPECT_EQ(mixed.model_name, b_);
  EXPECT_EQ(mixed.rows[0].terms.list[1].label, 3 + 2);
}

TEST_F(MixedModelFiles, of_different_lambda_descend_by_the_mean) {
  Model steep = picture_model();
  steep.objective.magnitude.lambda = 1;
  const std::string c = write("c.safetensors", steep);
  EXPECT_DOUBLE_EQ(open("class 0:1," + c + "@class 0:3", a_).objective.magnitude.lambda,
                   (4 + 3 * 1) / 4.0);
  expect_error(ErrorKind::usage, "climbs", [&] { open("class 0:1," + c + "@class 0:-8", a_); });
}

TEST_F(MixedModelFiles, that_do_not_fit_are_refused) {
  const auto refuse = [&](const std::string& part, const Model& model) {
    const std::string other = write("other.safetensors", model);
    expect_error(ErrorKind::usage, part, [&] { open("class 0:1," + other + "@class 0:1", a_); });
  };
  SitConfig config = small_sit_config();
  Model shape = model_of(small_sit(config), ObjectiveKind::eqm);
  shape.scaling = Scaling::pixels();
  refuse("their states are 1x8x8 and 2x4x4", shape);
  Model scaled = picture_model();
  scaled.scaling = Scaling::latents();
  refuse("scale pixels or latents differently", scaled);
  refuse("one is a flow", picture_model(ObjectiveKind::fm));
  refuse("is shown γ", picture_model(ObjectiveKind::eqm_noise_condition));
  Model linear = picture_model();
  linear.objective.magnitude.kind = MagnitudeKind::linear;
  refuse("their c(γ) have different shapes", linear);
}

TEST_F(MixedModelFiles, are_asked_for_clearly) {
  expect_error(ErrorKind::usage, "contains all weights already", [&] {
    open_landscape(a_, {.mix = "class 0," + b_ + "@class 0", .guidance = {.scale = 2}},
                   UnnamedClasses::first_ten, torch::kFloat32, *silent_logger());
  });
  EXPECT_NE(hint_of([&] { open("class 0," + b_ + ":0.5", a_); }).find("b.safetensors@label"),
            std::string::npos)
      << "a forgotten @";
  expect_error(ErrorKind::usage, "no class 'class 9'", [&] { open(b_ + "@class 9", a_); });
  EXPECT_THROW(open((folder_ / "none").string() + "@class 0", a_), Error);
}

TEST_F(MixedModelFiles, are_sampled) {
  app::SampleOptions options;
  options.model = a_;
  options.rows.mix = "class 0:1," + b_ + "@class 1:1";
  options.count = 3;
  options.descent.limit = 4;
  options.out = (folder_ / "out").string();
  RecordingHost host;
  const app::SampleResult result = app::run(options, host);
  EXPECT_EQ(result.tally.finished, 3);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / "grid.png"));
}

}  // namespace
}  // namespace eqm::test
