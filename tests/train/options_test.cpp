#include "eqm/train/options.h"

#include <functional>

#include <gtest/gtest.h>

#include "eqm/base/toml.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

TEST(TrainOptions, pass_through_toml_unchanged) {
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  const std::string standard = to_toml(set);
  read_toml(set,
            "[data]\ndata = \"x.tar\"\nflip = true\n[model]\nmodel = \"S/2\"\nlabel-dropout = 0.2\n"
            "[landscape]\nobjective = \"eqm-dot\"\nlambda = 2\n[training]\nlr = 3e-4\n"
            "schedule = \"cosine\"\nweight-decay = 0.1\nclip = 1\n[preview]\nlimit = 60\n"
            "[output]\nkeep-every = 500\n",
            "made.toml");
  const std::string changed = to_toml(set);
  EXPECT_NE(changed, standard);
  EXPECT_TRUE(options.data.flip);
  EXPECT_EQ(options.model.model, "S/2");
  EXPECT_EQ(options.objective.kind, ObjectiveKind::eqm_dot);
  EXPECT_EQ(options.schedule.kind, ScheduleKind::cosine);
  EXPECT_EQ(options.adamw.weight_decay, 0.1);
  EXPECT_EQ(options.descent.limit, 60);
  EXPECT_EQ(options.cadence.keep_every, 500);

  TrainOptions again;
  OptionSet read;
  again.declare(read);
  read_toml(read, changed, "config.toml");
  EXPECT_EQ(to_toml(read), changed);
}

TEST(TrainOptions, default_to_the_papers_settings) {
  const TrainOptions options;
  EXPECT_EQ(options.batch, 256);
  EXPECT_EQ(options.schedule.lr, 1e-4);
  EXPECT_EQ(options.schedule.kind, ScheduleKind::constant);
  EXPECT_EQ(options.adamw.beta1, 0.9);
  EXPECT_EQ(options.adamw.beta2, 0.999);
  EXPECT_EQ(options.adamw.epsilon, 1e-8);
  EXPECT_EQ(options.adamw.weight_decay, 0);
  EXPECT_EQ(options.ema, 0.9999);
  EXPECT_EQ(options.model.label_dropout, 0.1);
  EXPECT_EQ(options.clip, 0);
  options.validate();
}

TEST(TrainOptions, refuse_combinations_that_make_no_sense) {
  const auto expect_refusal = [](const std::string& part,
                                 const std::function<void(TrainOptions&)>& change) {
    TrainOptions options;
    change(options);
    SCOPED_TRACE(part);
    expect_error(ErrorKind::usage, part, [&] { options.validate(); });
  };
  expect_refusal("a batch of 10 cannot be computed in 4 equal parts", [](TrainOptions& o) {
    o.batch = 10;
    o.accumulate = 4;
  });
  expect_refusal("dispersive", [](TrainOptions& o) {
    o.accumulate = 2;
    o.objective.dispersive_weight = 0.5;
  });
  expect_refusal("learns the labels", [](TrainOptions& o) {
    o.objective.kind = ObjectiveKind::classifier;
    o.model.model = "convnet";
    o.model.class_input = false;
  });
  expect_refusal("eqm-l2", [](TrainOptions& o) { o.objective.kind = ObjectiveKind::eqm_l2; });
  expect_refusal("channels", [](TrainOptions& o) { o.data.channels = 2; });
  expect_refusal("lambda", [](TrainOptions& o) { o.objective.magnitude.lambda = 0; });
}

TEST(TrainOptions, a_classifier_and_its_network_go_together) {
  TrainOptions options;
  options.objective.kind = ObjectiveKind::classifier;
  expect_error(ErrorKind::usage, "only a convnet", [&] { options.validate(); });
  options.model.model = "convnet";
  options.validate();
  options.objective.kind = ObjectiveKind::eqm;
  expect_error(ErrorKind::usage, "only a convnet", [&] { options.validate(); });
}

TEST(TrainOptions, allow_what_only_looks_like_it) {
  TrainOptions options;
  options.batch = 12;
  options.accumulate = 4;
  options.validate();
  options.accumulate = 1;
  options.objective.dispersive_weight = 0.5;
  options.objective.kind = ObjectiveKind::eqm_l2;
  options.model.init = "runs/eqm";
  options.validate();
}

TEST(TrainOptions, epochs_become_steps) {
  TrainOptions options;
  options.batch = 64;
  options.steps = 7;
  EXPECT_EQ(options.resolve(60000).steps, 7);  // none are asked for
  options.epochs = 10;
  EXPECT_EQ(options.resolve(60000).steps, 9375);
  EXPECT_EQ(options.resolve(60000).epochs, 0);
  EXPECT_EQ(options.resolve(64).steps, 10);
  EXPECT_EQ(options.resolve(65).steps, 11);  // the last batch is whole
  options.epochs = 0.5;
  EXPECT_EQ(options.resolve(128).steps, 1);
  options.epochs = 1e-9;
  EXPECT_EQ(options.resolve(1).steps, 1);
  options.epochs = 1e12;
  expect_error(ErrorKind::usage, "1000 examples are more than", [&] { options.resolve(1000); });
}

TEST(TrainOptions, refuse_values_out_of_range) {
  TrainOptions options;
  OptionSet set;
  options.declare(set);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"batch", "0"},
                                                        {"accumulate", "0"},
                                                        {"steps", "-1"},
                                                        {"epochs", "-1"},
                                                        {"ema", "1.5"},
                                                        {"clip", "-1"},
                                                        {"label-dropout", "2"},
                                                        {"scale", "-1"},
                                                        {"channels", "4"},
                                                        {"log-every", "0"},
                                                        {"keep-last", "0"},
                                                        {"loader-threads", "0"},
                                                        {"preview", "0"},
                                                        {"objective", "gan"}}) {
    SCOPED_TRACE(name + " = " + value);
    expect_error(ErrorKind::usage, name, [&] { set.set_text(name, value); });
  }
}

}  // namespace
}  // namespace eqm::test
