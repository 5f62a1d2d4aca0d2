#include "eqm/app/reproduce.h"

#include <fstream>

#include <gtest/gtest.h>

#include "eqm/app/lab/lab_model.h"
#include "eqm/app/lab/measurement_kind.h"
#include "eqm/base/error.h"
#include "eqm/io/jsonl.h"
#include "tests/app/recording_host.h"
#include "tests/app/share_folder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTwoModels = R"toml(
title = "Two models"
options = "rule=gd"
vary = "eta=0.1,0.2"
best = "eta"
also = "right"

[[model]]
name = "linear"
change = "c=linear lambda=1"
[[model]]
name = "default"

[[curve]]
name = "linear"
paper = "50.5"
[[curve]]
name = "default"

[[claim]]
text = "something positive"
that = "0 < min(linear, default)"
paper = "0 < 38"
)toml";

std::string with_experiment(const TemporaryFolder& folder, const std::string& text) {
  const fs::path path = folder / "two.toml";
  std::ofstream(path) << text;
  return path.string();
}

app::ReproduceOptions tiny_lab(const TemporaryFolder& folder, const std::string& text) {
  app::ReproduceOptions options = {.experiment = with_experiment(folder, text),
                                   .out = (folder / "lab").string(),
                                   .scale = "tiny"};
  options.runtime.threads = 1;
  return options;
}

size_t measurements_in(const app::ReproduceOptions& options) {
  return read_lines(fs::path(options.out) / "measurements.jsonl").size();
}

size_t models_in(const app::ReproduceOptions& options) {
  return static_cast<size_t>(
      std::distance(fs::directory_iterator(fs::path(options.out) / "models"), {}));
}

std::string error_of(const app::ReproduceOptions& options) {
  RecordingHost host;
  try {
    app::run(options, host);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_FALSE(error.hint().empty());
    return error.what();
  }
  return "no error";
}

// With the experiments, scales and recipes of the project.
class Reproduce : public ::testing::Test {
 private:
  ShareFolder share_{EQM_SOURCE_FOLDER};
};

TEST_F(Reproduce, trains_measures_and_reports) {
  const TemporaryFolder folder;
  const app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  RecordingHost host;
  const app::ReproduceResult result = app::run(options, host);
  ASSERT_EQ(result.results.size(), 1U);
  const app::ExperimentResult& one = result.results.front();
  ASSERT_EQ(one.curves.size(), 2U);
  ASSERT_EQ(one.curves[0].points.size(), 1U) << "the better step size only";
  EXPECT_FALSE(one.curves[0].points[0].chosen.empty());
  EXPECT_EQ(one.claims.at(0).verdict, app::Verdict::holds);
  for (const char* name : {"table.md", "table.csv", "result.json", "figure.png", "figure.svg"}) {
    EXPECT_TRUE(fs::exists(fs::path(options.out) / "two" / name)) << name;
  }
  EXPECT_EQ(measurements_in(options), 4U);
}

TEST_F(Reproduce, a_second_run_trains_and_measures_nothing) {
  const TemporaryFolder folder;
  const app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  RecordingHost first, second;
  const auto before = app::run(options, first).results.at(0);
  const auto after = app::run(options, second).results.at(0);
  EXPECT_EQ(second.updates(), 0);
  EXPECT_EQ(measurements_in(options), 4U);
  EXPECT_EQ(before.claims[0].numbers, after.claims[0].numbers);
}

TEST_F(Reproduce, models_are_shared_between_experiments_whatever_they_are_called) {
  const TemporaryFolder folder;
  app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  RecordingHost host;
  app::run(options, host);
  const std::string other =
      "title = \"Other\"\n[[model]]\nname = \"x\"\nchange = \"lambda=1.0 c=linear\"\n"
      "[[curve]]\nname = \"x\"\n";
  options.experiment = with_experiment(folder, other);
  app::run(options, host);
  EXPECT_EQ(models_in(options), 2U);
}

TEST_F(Reproduce, resumes_after_a_stop_with_the_same_result) {
  const TemporaryFolder whole_folder, folder;
  RecordingHost host;
  const auto whole = app::run(tiny_lab(whole_folder, kTwoModels), host).results.at(0);
  const app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  bool finished = false;
  for (int tries = 0; tries < 60 && !finished; ++tries) {
    RecordingHost stopping(3 + 5 * tries);
    const app::ReproduceResult result = app::run(options, stopping);
    finished = !result.stopped;
    if (finished) {
      EXPECT_EQ(result.results.at(0).claims[0].numbers, whole.claims[0].numbers);
    }
  }
  EXPECT_TRUE(finished);
}

TEST_F(Reproduce, a_deleted_model_is_trained_again_only_when_it_is_needed) {
  const TemporaryFolder folder;
  app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  RecordingHost host;
  const auto first = app::run(options, host);
  fs::remove_all(fs::path(options.out) / "models");
  const auto measured_before = app::run(options, host);
  EXPECT_EQ(app::text_of(measured_before), app::text_of(first));
  EXPECT_FALSE(fs::exists(fs::path(options.out) / "models"));
  options.only_trained = true;  // nothing has to be trained
  EXPECT_TRUE(app::run(options, host).skipped.empty());
  options.only_trained = false;
  const fs::path store = fs::path(options.out) / "measurements.jsonl";
  const std::vector<std::string> lines = read_lines(store);
  std::ofstream(store) << lines.front() << "\n";  // of the first model's two step sizes
  EXPECT_FALSE(app::run(options, host).stopped);
  EXPECT_EQ(models_in(options), 2U);
  EXPECT_EQ(measurements_in(options), 4U);
  std::ofstream(store) << lines.at(0) << "\n" << lines.at(1) << "\n";
  fs::remove_all(fs::path(options.out) / "models");
  EXPECT_FALSE(app::run(options, host).stopped);
  EXPECT_EQ(models_in(options), 1U);
}

TEST_F(Reproduce, seeds_train_a_model_each) {
  const TemporaryFolder folder;
  app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  options.seeds = 2;
  RecordingHost host;
  EXPECT_EQ(app::run(options, host).results.at(0).seeds, 2);
  EXPECT_EQ(models_in(options), 4U);
}

TEST_F(Reproduce, bad_experiments_are_refused_in_one_sentence) {
  const TemporaryFolder folder;
  const auto error = [&](const std::string& text) { return error_of(tiny_lab(folder, text)); };
  const std::string models = "[[model]]\nname = \"a\"\n";
  EXPECT_NE(error("colour = 1\n" + models).find("unknown key 'colour'"), std::string::npos);
  EXPECT_NE(error(models + "[[curv]]\nname = \"a\"\n").find("unknown list 'curv'"),
            std::string::npos);
  EXPECT_NE(error(models).find("nothing is measured"), std::string::npos);
  EXPECT_NE(error(models + "[[curve]]\nname = \"b\"\n").find("no model 'b'"), std::string::npos);
  EXPECT_NE(
      error(models + "[[curve]]\nname = \"a\"\n[[claim]]\nthat = \"a < c\"\n").find("no curve 'c'"),
      std::string::npos);
  EXPECT_NE(error("measure = \"guess\"\n" + models + "[[curve]]\nname = \"a\"\n")
                .find("no measurement 'guess'"),
            std::string::npos);
  EXPECT_NE(error("options = \"limt=3\"\n" + models + "[[curve]]\nname = \"a\"\n").find("limt"),
            std::string::npos);
  EXPECT_NE(error("[[model]]\nname = \"a\"\nchange = \"lamda=1\"\n[[curve]]\nname = \"a\"\n")
                .find("lamda"),
            std::string::npos);
  EXPECT_NE(error("[[need]]\ndata = \"nowhere\"\nfrom = \"its page\"\n" + models +
                  "[[curve]]\nname = \"a\"\n")
                .find("needs the data"),
            std::string::npos);
  const std::string one = models + "[[curve]]\nname = \"a\"\n";
  for (const char* bad : {"vary = \"model=x,y\"\n", "vary = \"seed=1,2\"\n",
                          "options = \"out=x\"\n", "options = \"threads=1\"\n"}) {
    EXPECT_NE(error(bad + one).find("the lab itself sets"), std::string::npos) << bad;
  }
  EXPECT_NE(error("[[model]]\nname = \"a\"\nchange = \"init=x\"\n[[curve]]\nname = \"a\"\n")
                .find("sets 'init'"),
            std::string::npos);
  EXPECT_NE(error("best = \"eta\"\n" + one).find("no best of it"), std::string::npos);
  EXPECT_NE(error(one + "[[claim]]\nthat = \"a[7] < 1\"\n").find("not measured"),
            std::string::npos);
  EXPECT_NE(error("[[model]]\nname = \"a\"\nfrom = \"b\"\n[[model]]\nname = \"b\"\n[[curve]]\nname "
                  "= \"a\"\n")
                .find("does not stand before"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "lab" / "models")) << "nothing was trained";
}

TEST_F(Reproduce, a_lab_of_another_version_is_refused) {
  const TemporaryFolder folder;
  const app::ReproduceOptions options = tiny_lab(folder, kTwoModels);
  fs::create_directories(options.out);
  for (const char* text : {"{\"version\": 99}", "{\"version\": \"x\"}", "[]", ""}) {
    std::ofstream(fs::path(options.out) / "lab.json") << text;
    EXPECT_NE(error_of(options).find("another version"), std::string::npos) << text;
  }
}

// What a curve is measured with, at the first point of its axes.
app::MeasurementRequest first_request(const app::LabScale& scale, const app::Experiment& experiment,
                                      const app::ExperimentCurve& curve) {
  app::MeasurementRequest request = {.origin = experiment.name + ", " + curve.name};
  const std::string& role = experiment.model(curve.model).role;
  for (const std::string& text : {scale.options_of(experiment.measure), scale.role(role).measure,
                                  experiment.options, curve.options}) {
    request.settings = app::changed(request.settings, app::settings_in(text, request.origin));
  }
  if (experiment.vary.empty()) return request;
  for (const app::Axis& axis : app::axes_of(experiment.vary)) {
    request.settings = app::changed(request.settings, {{axis.name, axis.values.front()}});
  }
  return request;
}

TEST_F(Reproduce, every_shipped_experiment_can_be_planned_at_every_scale) {
  for (const std::string& name : app::scale_names()) {
    const app::LabScale scale = app::read_scale(name);
    const app::LabPlace place = {.folder = "nowhere", .data = "data", .scale = scale};
    for (const app::Experiment& shipped : app::known_experiments()) {
      const app::Experiment experiment = shipped.at(name);
      SCOPED_TRACE(experiment.name + " at " + name);
      EXPECT_FALSE(experiment.title.empty());
      EXPECT_FALSE(experiment.claims.empty());
      const app::MeasurementKind& kind = app::measurement_kind(experiment.measure, "test");
      for (const app::ExperimentCurve& curve : experiment.curves) {
        EXPECT_NO_THROW(app::lab_models(place, experiment, curve.model, 0)) << curve.name;
        EXPECT_NO_THROW(kind.identity(first_request(scale, experiment, curve))) << curve.name;
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
