#include "eqm/train/run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <gtest/gtest.h>

#include "eqm/data/loader.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/folder_lock.h"
#include "eqm/io/png.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/metrics.h"
#include "eqm/train/setup.h"
#include "eqm/train/training_batch.h"
#include "tests/support/content_of.h"
#include "tests/support/event_decoder.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/golden.h"
#include "tests/support/made_picture.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"
#include "tests/support/training_runs.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

TEST_F(RunTraining, a_unet_that_drops_activations_resumes_to_the_same_weights) {
  options_.model.model = "unet-small";
  options_.model.width = 32;
  options_.model.dropout = 0.3;
  options_.cadence.checkpoint_every = 2;
  options_.steps = 4;
  run(options_, paths("whole"), RunStart::fresh);
  EXPECT_THROW(run(options_, paths(), RunStart::fresh, killed_after(3)), Killed);
  run(options_, paths(), RunStart::resume);
  EXPECT_TRUE(same_end(paths(), paths("whole")));
  options_.model.dropout = 0;
  run(options_, paths("without"), RunStart::fresh);
  EXPECT_NE(content_of(paths("without").model()), content_of(paths("whole").model()));
}

TEST_F(RunTraining, leaves_everything_in_its_folder) {
  options_.data.held_out = 2;
  options_.cadence.evaluate_every = 3;
  options_.cadence.sample_every = 4;
  options_.cadence.checkpoint_every = 2;
  const RunSummary summary = run(options_, paths(), RunStart::fresh);
  EXPECT_EQ(summary.steps, 6);
  EXPECT_TRUE(summary.finished);
  EXPECT_GT(summary.loss.loss, 0);
  EXPECT_GT(summary.seconds, 0);
  EXPECT_GT(summary.images_per_second, 0);
  EXPECT_GE(summary.data_share, 0);
  EXPECT_LE(summary.data_share, 1);
  EXPECT_EQ(summary.skipped, 0);

  EXPECT_EQ(content_of(paths().config()), "steps = 6\n");
  EXPECT_EQ(steps_in(paths()), (Steps{4, 6}));
  for (const char* metric : {"loss", "gradient_norm", "lr", "images_per_second", "data_share"}) {
    EXPECT_EQ(read_metric(paths(), metric).steps, (Steps{1, 2, 3, 4, 5, 6})) << metric;
  }
  const MetricSeries held_out = read_metric(paths(), "held_out_loss");
  EXPECT_EQ(held_out.steps, (Steps{3, 6}));
  ASSERT_TRUE(summary.held_out_loss.has_value());
  EXPECT_EQ(held_out.values.back(), *summary.held_out_loss);
  const std::string metrics = content_of(paths().metrics());
  EXPECT_NE(metrics.find("held_out_loss/gamma_0."), std::string::npos);
  const Model model = load_model(paths().model());
  EXPECT_EQ(model.class_names, (std::vector<std::string>{"class 0", "class 1", "class 2"}));
  EXPECT_EQ(model.scaling, Scaling::pixels());
  EXPECT_EQ(content_of(paths().model()),
            content_of(paths().checkpoints() / "step-0000006/model.safetensors"));
}

TEST_F(RunTraining, draws_previews_for_the_folder_and_for_tensorboard) {
  options_.cadence.sample_every = 4;
  run(options_, paths(), RunStart::fresh);
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(paths().samples())) {
    names.insert(entry.path().filename().string());
  }
  EXPECT_EQ(names, (std::set<std::string>{"step-0000004.png", "step-0000006.png"}));
  PngText text;
  const Image grid = read_png(paths().samples() / "step-0000004.png", &text);
  EXPECT_GE(grid.height, 3 * 64);  // a row for each class
  EXPECT_NE(std::find(text.begin(), text.end(), std::pair<std::string, std::string>{"Step", "4"}),
            text.end());
  std::vector<int64_t> shown;
  for (const auto& entry : fs::directory_iterator(paths().folder)) {
    if (!entry.path().filename().string().starts_with("events.out")) continue;
    for (const Event& event : read_events(entry.path())) {
      if (event.tag == "samples") shown.push_back(event.step);
      if (event.tag == "samples" && event.step == 4) {
        EXPECT_EQ(decode_png(std::as_bytes(std::span(event.png)), "event").pixels, grid.pixels);
      }
    }
  }
  EXPECT_EQ(shown, (Steps{4, 6}));
}

TEST_F(RunTraining, learns) {
  options_.steps = 150;
  options_.schedule.lr = 1e-2;
  options_.cadence.log_every = 10;
  run(options_, paths(), RunStart::fresh);
  const std::vector<double> loss = read_metric(paths(), "loss").values;
  ASSERT_EQ(loss.size(), 15U);
  EXPECT_LT(loss.back(), 0.6 * loss.front());
}

TEST_F(RunTraining, takes_the_steps_of_a_plain_loop) {
  options_.data.flip = true;
  options_.seed = 3;
  run(options_, paths(), RunStart::fresh);
  const TrainingData data = open_training_data(options_.data);
  TrainingState state(make_model(options_, data), options_.adamw);
  Loader loader(data.training, {.batch = 4, .seed = 3, .threads = 0, .flip = true});
  const Randomness randomness = {.seed = 3, .label_dropout = 0.1, .null_label = 3};
  for (int64_t step = 0; step < 6; ++step) {
    const TrainingBatch batch =
        make_training_batch(loader.next(), data.codec, randomness, torch::kFloat32);
    train_step(state, options_, {&batch, 1}, Runtime());
  }
  EXPECT_TRUE(same_bits(weights_of(*load_model(paths().model()).backbone),
                        weights_of(*state.ema.backbone())));
}

TEST_F(RunTraining, stopped_anywhere_ends_with_the_same_bits) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot}) {
    options_.objective.kind = kind;
    const RunPaths whole = paths(name_of(kind));
    run(options_, whole, RunStart::fresh);
    for (const int64_t first : {0, 1, 5}) {
      const RunPaths broken = paths(name_of(kind) + std::to_string(first));
      const RunSummary stopped = run(options_, broken, RunStart::fresh, after(first));
      EXPECT_EQ(stopped.steps, first);
      EXPECT_FALSE(stopped.finished);
      EXPECT_EQ(steps_in(broken), Steps{first});
      EXPECT_TRUE(fs::exists(broken.model()));
      const RunSummary resumed = run(options_, broken, RunStart::resume);
      EXPECT_EQ(resumed.steps, 6);
      EXPECT_TRUE(resumed.finished);
      EXPECT_TRUE(same_end(broken, whole)) << "stopped after " << first;
      EXPECT_EQ(read_metric(broken, "loss").steps, (Steps{1, 2, 3, 4, 5, 6}));
      EXPECT_EQ(read_metric(broken, "loss").values, read_metric(whole, "loss").values);
    }
  }
}

TEST_F(RunTraining, stopped_after_every_step_ends_with_the_same_bits) {
  run(options_, paths("whole"), RunStart::fresh);
  run(options_, paths(), RunStart::fresh, after(1));
  for (int i = 0; i < 10; ++i) run(options_, paths(), RunStart::resume, after(1));
  EXPECT_TRUE(same_end(paths(), paths("whole")));
}

TEST_F(RunTraining, killed_goes_on_from_its_last_checkpoint_to_the_same_bits) {
  options_.cadence.checkpoint_every = 2;
  options_.cadence.sample_every = 3;
  options_.data.held_out = 2;
  options_.cadence.evaluate_every = 1;
  for (const torch::ScalarType type : kPrecisions) {
    const std::string name = torch::toString(type);
    const RunPaths whole = paths("whole" + name), broken = paths("broken" + name);
    run(options_, whole, RunStart::fresh, never, type);
    EXPECT_THROW(run(options_, broken, RunStart::fresh, killed_after(1), type), Killed);
    EXPECT_EQ(steps_in(broken), Steps{});
    EXPECT_THROW(run(options_, broken, RunStart::resume, killed_after(5), type), Killed);
    EXPECT_EQ(steps_in(broken), (Steps{2, 4}));
    EXPECT_EQ(read_metric(broken, "loss").steps.back(), 5);
    EXPECT_THROW(run(options_, broken, RunStart::resume, killed_after(1), type), Killed);
    run(options_, broken, RunStart::resume, never, type);
    EXPECT_TRUE(same_end(broken, whole));
    EXPECT_EQ(read_metric(broken, "loss").values, read_metric(whole, "loss").values);
    EXPECT_EQ(read_metric(broken, "held_out_loss").values,
              read_metric(whole, "held_out_loss").values);
    EXPECT_EQ(content_of(broken.samples() / "step-0000006.png"),
              content_of(whole.samples() / "step-0000006.png"));
  }
}

TEST_F(RunTraining, does_not_depend_on_the_loaders_threads_or_cache) {
  options_.data.flip = true;
  run(options_, paths("one"), RunStart::fresh);
  options_.data.loader_threads = 3;
  options_.data.cache_mb = 0;
  run(options_, paths("three"), RunStart::fresh);
  EXPECT_TRUE(same_end(paths("three"), paths("one")));
  options_.seed = 1;
  run(options_, paths("other"), RunStart::fresh);
  EXPECT_FALSE(same_end(paths("other"), paths("one")));
}

TEST_F(RunTraining, takes_a_batch_in_parts) {
  run(options_, paths("whole"), RunStart::fresh, never, torch::kFloat64);
  options_.accumulate = 2;
  run(options_, paths("parts"), RunStart::fresh, never, torch::kFloat64);
  const std::vector<double> whole = read_metric(paths("whole"), "loss").values;
  const std::vector<double> parts = read_metric(paths("parts"), "loss").values;
  ASSERT_EQ(parts.size(), whole.size());
  for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(parts[i], whole[i], 1e-6 * whole[i]) << i;
}

TEST_F(RunTraining, computes_as_its_runtime_says) {
  Runtime runtime = torch::kFloat64;
  runtime.threads = 1;
  runtime.kernels = kernel::Path::plain;
  int64_t seen = 0;
  const auto look = [&](const Snapshot& snapshot) {
    ++seen;
    EXPECT_EQ(kernel::path(), kernel::Path::plain);
    EXPECT_EQ(at::get_num_threads(), 1);
    EXPECT_EQ(options_of(*snapshot.model.backbone).dtype(), torch::kFloat64);
    return std::optional<MeasurementOutput>();
  };
  measurements_ = {{.name = "look", .every = 2, .measure = look}};
  const int threads = at::get_num_threads();
  const kernel::Path path = kernel::path();
  run(options_, paths(), RunStart::fresh, never, runtime);
  EXPECT_GT(seen, 0);
  EXPECT_EQ(kernel::path(), path);
  EXPECT_EQ(at::get_num_threads(), threads);
}

TEST_F(RunTraining, trains_vectors_without_drawing_them) {
  TrainOptions options = tiny_options(
      write_set(folder_ / "vectors.safetensors", {.shape = {3}, .type = torch::kFloat32}));
  options.model.model = "mlp";
  options.model.width = 8;
  options.cadence.sample_every = 2;
  EXPECT_TRUE(run(options, paths(), RunStart::fresh).finished);
  EXPECT_FALSE(fs::exists(paths().samples()));
}

TEST_F(RunTraining, trains_eqm_l2_from_a_run_of_eqm) {
  options_.steps = 20;
  options_.schedule.lr = 1e-2;
  run(options_, paths("eqm"), RunStart::fresh);
  options_.objective.kind = ObjectiveKind::eqm_l2;
  options_.model.init = paths("eqm").folder.string();
  options_.steps = 3;
  EXPECT_TRUE(run(options_, paths("l2"), RunStart::fresh).finished);
  const std::vector<double> norms = read_metric(paths("l2"), "gradient_norm").values;
  EXPECT_GT(norms.front(), 0);
  EXPECT_EQ(load_model(paths("l2").model()).objective.kind, ObjectiveKind::eqm_l2);
  // From its own checkpoint it goes on alone.
  fs::remove_all(paths("eqm").folder);
  options_.steps = 4;
  EXPECT_EQ(run(options_, paths("l2"), RunStart::resume).steps, 4);
}

TEST_F(RunTraining, refuses_to_begin_where_a_run_is) {
  run(options_, paths(), RunStart::fresh, after(2));
  const std::string model = content_of(paths().model());
  expect_error(ErrorKind::usage, "already holds a run",
               [&] { run(options_, paths(), RunStart::fresh); });
  EXPECT_EQ(content_of(paths().model()), model);
  EXPECT_EQ(steps_in(paths()), Steps{2});
}

TEST_F(RunTraining, refuses_a_folder_in_use) {
  const FolderLock lock(paths().folder);
  expect_error(ErrorKind::io, "in use by process",
               [&] { run(options_, paths(), RunStart::fresh); });
  EXPECT_FALSE(fs::exists(paths().config()));
}

TEST_F(RunTraining, refuses_to_go_on_as_another_run) {
  run(options_, paths(), RunStart::fresh, after(2));
  const std::string config = content_of(paths().config());
  const auto expect_refusal = [&](const std::string& part,
                                  const std::function<void(TrainOptions&)>& change) {
    TrainOptions other = options_;
    change(other);
    expect_input_error("another " + part, [&] { run(other, paths(), RunStart::resume); });
    EXPECT_EQ(steps_in(paths()), Steps{2});
  };
  expect_refusal("batch", [](TrainOptions& o) { o.batch = 8; });
  expect_refusal("seed", [](TrainOptions& o) { o.seed = 1; });
  expect_refusal("architecture", [](TrainOptions& o) { o.model.width = 32; });
  expect_refusal("objective", [](TrainOptions& o) { o.objective.kind = ObjectiveKind::fm; });
  expect_refusal("landscape", [](TrainOptions& o) { o.objective.magnitude.lambda = 1; });
  expect_refusal("flip", [](TrainOptions& o) { o.data.flip = true; });
  expect_refusal("data set", [this](TrainOptions& o) {
    o.data.data = write_set(folder_ / "other.safetensors", {.seed = 1}).string();
  });
  EXPECT_EQ(content_of(paths().config()), config);
  EXPECT_TRUE(run(options_, paths(), RunStart::resume).finished);
}

TEST_F(RunTraining, a_finished_run_can_be_resumed_and_made_longer) {
  run(options_, paths(), RunStart::fresh);
  const std::string model = content_of(paths().model());
  const RunSummary again = run(options_, paths(), RunStart::resume);
  EXPECT_TRUE(again.finished);
  EXPECT_EQ(again.steps, 6);
  EXPECT_EQ(content_of(paths().model()), model);
  options_.steps = 8;
  EXPECT_EQ(run(options_, paths(), RunStart::resume).steps, 8);
  run(options_, paths("whole"), RunStart::fresh);
  EXPECT_TRUE(same_end(paths(), paths("whole")));  // the rate is constant
}

TEST_F(RunTraining, refuses_fewer_steps_than_were_taken) {
  run(options_, paths(), RunStart::fresh);
  options_.steps = 5;
  expect_error(ErrorKind::usage, "has taken 6 steps already",
               [&] { run(options_, paths(), RunStart::resume); });
  EXPECT_EQ(steps_in(paths()), Steps{6});
}

TEST_F(RunTraining, asked_to_stop_within_a_step_it_hurries) {
  options_.data.held_out = 2;
  options_.cadence.evaluate_every = 1;
  options_.cadence.sample_every = 1;
  // The progress of a step is told at its very end: this comes before.
  bool asked = false;
  const Stop within_the_first = [&](int64_t) { return std::exchange(asked, true); };
  EXPECT_EQ(run(options_, paths(), RunStart::fresh, within_the_first).steps, 1);
  EXPECT_EQ(steps_in(paths()), Steps{1});
  EXPECT_EQ(read_metric(paths(), "loss").steps, Steps{1});
  EXPECT_TRUE(read_metric(paths(), "held_out_loss").steps.empty());
  EXPECT_FALSE(fs::exists(paths().samples()));
}

TEST_F(RunTraining, begins_at_the_beginning_when_there_is_nothing_to_resume) {
  EXPECT_TRUE(run(options_, paths(), RunStart::resume).finished);
  run(options_, paths("fresh"), RunStart::fresh);
  EXPECT_TRUE(same_end(paths(), paths("fresh")));
}

TEST_F(RunTraining, a_full_disk_costs_no_checkpoint_and_the_run_goes_on_elsewhere) {
  options_.cadence.checkpoint_every = 2;
  run(options_, paths("whole"), RunStart::fresh);
  {
    std::optional<FileSizeLimit> full_disk;
    const Stop fill = [&](int64_t taken) {
      if (taken == 3 && !full_disk) full_disk.emplace(16384);
      return false;
    };
    try {
      run(options_, paths(), RunStart::fresh, fill);
      ADD_FAILURE() << "nothing was refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::io) << error.what();
      EXPECT_NE(error.hint().find("{resume}"), std::string::npos) << error.hint();
    }
  }
  EXPECT_EQ(steps_in(paths()), Steps{2});
  fs::rename(paths().folder, paths("elsewhere").folder);
  EXPECT_TRUE(run(options_, paths("elsewhere"), RunStart::resume).finished);
  EXPECT_TRUE(same_end(paths("elsewhere"), paths("whole")));
}

TEST_F(RunTraining, a_loss_that_is_not_finite_keeps_the_last_checkpoint) {
  options_.cadence.checkpoint_every = 2;
  run(options_, paths("whole"), RunStart::fresh);
  run(options_, paths(), RunStart::fresh, after(2));
  TrainOptions wild = options_;
  wild.schedule.lr = 1e30;
  expect_error(ErrorKind::numeric, "is not finite at step 4",
               [&] { run(wild, paths(), RunStart::resume); });
  EXPECT_EQ(steps_in(paths()), Steps{2});
  EXPECT_TRUE(run(options_, paths(), RunStart::resume).finished);
  EXPECT_TRUE(same_end(paths(), paths("whole")));
}

TEST_F(RunTraining, clears_away_what_a_killed_process_left_half_written) {
  run(options_, paths(), RunStart::fresh, after(2));
  const fs::path rubbish = paths().checkpoints() / ".eqm-0123456789abcdef.tmp";
  create_folder(rubbish);
  write_file(rubbish / "weights.safetensors", "half of it");
  EXPECT_TRUE(run(options_, paths(), RunStart::resume).finished);
  EXPECT_FALSE(fs::exists(rubbish));
  EXPECT_EQ(steps_in(paths()), (Steps{2, 6}));
}

TEST_F(RunTraining, goes_on_without_damaged_images_if_asked_and_counts_them) {
  for (int i = 0; i < 12; ++i) {
    const fs::path path = folder_ / ("images/" + std::string(i % 2 == 0 ? "a" : "b"));
    create_folder(path);
    const Image image = plain_image(8, 8, 1, static_cast<uint8_t>(20 * i));
    write_file(path / (std::to_string(i) + ".png"), i == 5 ? "damaged" : png_of(image));
  }
  options_.data.data = (folder_ / "images").string();
  options_.data.channels = 1;
  expect_input_error("5.png", [&] { run(options_, paths("strict"), RunStart::fresh); });
  options_.data.skip_damaged = true;
  const RunSummary summary = run(options_, paths(), RunStart::fresh);
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(summary.skipped, 1);
}

TEST_F(RunTraining, keeps_milestones_and_the_last_checkpoints) {
  options_.steps = 10;
  options_.cadence.checkpoint_every = 1;
  options_.cadence.keep_last = 2;
  options_.cadence.keep_every = 4;
  run(options_, paths(), RunStart::fresh);
  EXPECT_EQ(steps_in(paths()), (Steps{4, 8, 9, 10}));
}

TEST_F(RunTraining, no_steps_leave_the_untrained_model) {
  options_.steps = 0;
  const RunSummary summary = run(options_, paths(), RunStart::fresh);
  EXPECT_TRUE(summary.finished);
  EXPECT_EQ(summary.steps, 0);
  EXPECT_EQ(load_model(paths().model()).backbone->num_classes(), 3);
}

TEST_F(RunTraining, tells_its_progress) {
  options_.steps = 3;
  run(options_, paths(), RunStart::fresh, after(2));
  EXPECT_EQ(progress_.said,
            (std::vector<std::string>{"begin 3 steps", "resume 0", "update 1", "update 2", "end"}));
  EXPECT_NE(progress_.last_note.find("images/s"), std::string::npos) << progress_.last_note;
  EXPECT_NE(progress_.last_note.find("data "), std::string::npos) << progress_.last_note;
  run(options_, paths(), RunStart::resume);
  EXPECT_EQ(progress_.said,
            (std::vector<std::string>{"begin 3 steps", "resume 2", "update 3", "end"}));
}

// 24 examples in batches of 4 are 6 steps.
TEST_F(RunTraining, takes_epochs_in_place_of_steps) {
  run(options_, paths("steps"), RunStart::fresh);
  options_.steps = 20000;
  options_.epochs = 1;
  const RunSummary summary = run(options_, paths(), RunStart::fresh, after(4));
  EXPECT_EQ(summary.planned, 6);
  EXPECT_DOUBLE_EQ(summary.epochs, 4.0 / 6);
  EXPECT_EQ(progress_.said.front(), "begin 6 steps");
  EXPECT_NE(progress_.last_note.find("epoch 0.67 of 1.00"), std::string::npos)
      << progress_.last_note;
  EXPECT_EQ(content_of(paths().config()), "steps = 6\n");
  EXPECT_TRUE(run(options_, paths(), RunStart::resume).finished);
  EXPECT_TRUE(same_end(paths(), paths("steps")));
  options_.epochs = 1.5;
  EXPECT_EQ(run(options_, paths(), RunStart::resume).steps, 9);
}

TEST_F(RunTraining, says_once_that_other_programs_take_its_processors) {
  ProcessorUse now = {.at = 100, .ran = 5, .waited = 1};
  use_ = [&] {
    now = {.at = now.at + 20, .ran = now.ran + 10, .waited = now.waited + 10};
    return now;
  };
  run(options_, paths(), RunStart::fresh);
  const std::string said = said_.str();
  const size_t first = said.find("short of processor time");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("short of processor time", first + 1), std::string::npos) << said;
  EXPECT_EQ(read_metric(paths(), "processor_wait").values, std::vector<double>(6, 0.5));
}

TEST_F(RunTraining, does_without_knowing_its_processor_time) {
  use_ = [] { return std::nullopt; };
  EXPECT_TRUE(run(options_, paths(), RunStart::fresh).finished);
  EXPECT_TRUE(read_metric(paths(), "processor_wait").values.empty());
}

TEST_F(RunTraining, ends_its_progress_when_it_fails) {
  options_.schedule.lr = 1e30;
  EXPECT_THROW(run(options_, paths(), RunStart::fresh), Error);
  EXPECT_EQ(progress_.said.back(), "end");
}

TEST_F(RunTraining, refuses_senseless_options_before_it_makes_a_folder) {
  options_.accumulate = 3;
  expect_error(ErrorKind::usage, "equal parts", [&] { run(options_, paths(), RunStart::fresh); });
  EXPECT_FALSE(fs::exists(paths().folder));
}

TEST_F(RunTraining, refuses_a_model_that_could_not_be_measured_before_it_makes_a_folder) {
  measurements_ = {{.name = "quality",
                    .every = 1,
                    .measure = [](const Snapshot&) { return MeasurementOutput{}; },
                    .validate =
                        [](const Snapshot& untrained) {
                          EXPECT_EQ(untrained.model.backbone->num_classes(), 3);
                          throw Error(ErrorKind::usage, "not measurable", "choose another");
                        }}};
  expect_error(ErrorKind::usage, "not measurable",
               [&] { run(options_, paths(), RunStart::fresh); });
  EXPECT_FALSE(fs::exists(paths().folder));
}

TEST_F(RunTraining, refused_before_its_first_step_leaves_nothing) {
  create_folder(folder_ / "images");
  for (int i = 0; i < 8; ++i) {
    const Image image = plain_image(8, 8, 1, static_cast<uint8_t>(20 * i));
    // The first is sound and tells the shape: the others are met in the first batch.
    write_file(folder_ / "images" / (std::to_string(i) + ".png"),
               i > 0 ? "damaged" : png_of(image));
  }
  options_.data.data = (folder_ / "images").string();
  expect_input_error(".png", [&] { run(options_, paths("a/b"), RunStart::fresh); });
  EXPECT_FALSE(fs::exists(folder_ / "a"));
}

TEST_F(RunTraining, without_a_finite_loss_at_its_first_step_leaves_nothing) {
  TrainOptions options = tiny_options(write_set(
      folder_ / "vectors.safetensors", {.shape = {3}, .classes = 0, .type = torch::kFloat32}));
  options.model.model = "mlp";
  options.model.width = 8;
  options.data.scale = 1e9;
  options.objective.magnitude.lambda = 1e30;
  expect_error(ErrorKind::numeric, "is not finite at step 1",
               [&] { run(options, paths(), RunStart::fresh); });
  EXPECT_FALSE(fs::exists(paths().folder));
}

TEST_F(RunTraining, a_refused_resume_leaves_the_run_as_it_was) {
  run(options_, paths(), RunStart::fresh, after(2));
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(paths().folder)) {
      all[entry.path().string()] = entry.is_regular_file() ? content_of(entry.path()) : "";
    }
    return all;
  };
  const auto before = files();
  TrainOptions other = options_;
  other.batch = 8;
  expect_input_error("another batch", [&] { run(other, paths(), RunStart::resume); });
  EXPECT_EQ(files(), before);
}

TEST_F(RunTraining, learns_to_classify_and_says_how_well) {
  TrainOptions options = tiny_options(write_set(folder_ / "set.safetensors", {.count = 600}));
  options.data.held_out = 60;
  options.model.model = "convnet";
  options.model.width = 4;
  options.objective.kind = ObjectiveKind::classifier;
  options.steps = 200;
  options.batch = 12;
  options.schedule.lr = 3e-3;
  options.cadence.evaluate_every = 40;
  options.cadence.sample_every = 40;  // there is nothing to draw
  const RunSummary summary = run(options, paths("classifier"), RunStart::fresh);
  ASSERT_TRUE(summary.held_out_accuracy);
  EXPECT_GE(*summary.held_out_accuracy, 0.9);
  EXPECT_LT(*summary.held_out_loss, std::log(3.0) / 3);
  EXPECT_FALSE(fs::exists(folder_ / "classifier/samples"));
  const Model model = load_model(folder_ / "classifier/model.safetensors");
  EXPECT_EQ(model.objective.kind, ObjectiveKind::classifier);
  EXPECT_EQ(model.class_names.size(), 3U);
}

}  // namespace
}  // namespace eqm::test
