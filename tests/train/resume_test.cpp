#include "eqm/train/resume.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "eqm/io/jsonl.h"
#include "eqm/train/metrics.h"
#include "tests/support/event_decoder.h"
#include "tests/support/expect_error.h"
#include "tests/support/training_runs.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> kOfTheClock = {"images_per_second", "data_share", "processor_wait"};

// What does not depend on the clock, line by line.
std::vector<nlohmann::json> log_of(const RunPaths& paths) {
  std::vector<nlohmann::json> lines;
  for (const std::string& line : read_lines(paths.metrics())) {
    nlohmann::json json = nlohmann::json::parse(line);
    for (const std::string& name : kOfTheClock) json.erase(name);
    lines.push_back(json);
  }
  return lines;
}

// What TensorBoard shows: the files in the order of their names, where a start voids what was there
// from its step on. Tag, step, value and picture.
using Shown = std::tuple<std::string, int64_t, float, std::string>;
std::vector<Shown> shown_by_tensorboard(const RunPaths& paths) {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(paths.folder)) {
    if (entry.path().filename().string().starts_with("events.out")) files.insert(entry.path());
  }
  std::vector<Shown> shown;
  for (const fs::path& file : files) {
    for (const Event& event : read_events(file)) {
      if (event.session_status == 1) {
        std::erase_if(shown, [&](const Shown& one) { return std::get<1>(one) >= event.step; });
      }
      if (event.tag.empty() || kOfTheClock.contains(event.tag)) continue;
      shown.emplace_back(event.tag, event.step, event.value, event.png);
    }
  }
  return shown;
}

std::map<std::string, std::string> pictures_of(const RunPaths& paths) {
  std::map<std::string, std::string> pictures;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(paths.samples(), none)) {
    pictures[entry.path().filename().string()] = content_of(entry.path());
  }
  return pictures;
}

void expect_same_record(const RunPaths& actual, const RunPaths& expected) {
  EXPECT_TRUE(same_end(actual, expected));
  EXPECT_EQ(log_of(actual), log_of(expected));
  EXPECT_EQ(shown_by_tensorboard(actual), shown_by_tensorboard(expected));
  EXPECT_EQ(pictures_of(actual), pictures_of(expected));
}

// A quality that is a number of the weights; fails as if killed when it is told to.
struct WeightQuality {
  MeasurementOutput of(const Snapshot& snapshot) {
    if (kill) throw Killed();
    ++measured;
    double sum = spoiled ? std::nan("") : 0;
    for (const auto& entry : weights_of(*snapshot.model.backbone)) {
      sum += entry.second.sum().item<double>();
    }
    return {.values = {{"quality", sum}}};
  }

  bool kill = false, spoiled = false;
  int measured = 0;
};

class Resume : public RunTraining {
 protected:
  Resume() {
    options_.steps = 7;
    options_.data.held_out = 2;
    options_.cadence.log_every = 3;
    options_.cadence.checkpoint_every = 2;
    options_.cadence.evaluate_every = 2;
    options_.cadence.sample_every = 2;
    measurements_ = {{.name = "quality", .every = 2, .measure = [this](const Snapshot& snapshot) {
                        return probe_.of(snapshot);
                      }}};
    run(options_, whole_, RunStart::fresh);
  }

  bool has_checkpoint(int64_t step) const {
    return fs::exists(paths().checkpoints() / step_name(step));
  }

  WeightQuality probe_;
  RunPaths whole_ = paths("whole");
};

TEST_F(Resume, logs_what_an_unbroken_run_logs) {
  for (const int64_t steps : {1, 3, 4, 5, 6}) {
    SCOPED_TRACE(steps);
    fs::remove_all(paths().folder);
    EXPECT_THROW(run(options_, paths(), RunStart::fresh, killed_after(steps)), Killed);
    run(options_, paths(), RunStart::resume);
    expect_same_record(paths(), whole_);
    fs::remove_all(paths().folder);
    run(options_, paths(), RunStart::fresh, after(steps));
    run(options_, paths(), RunStart::resume);
    EXPECT_EQ(log_of(paths()), log_of(whole_));
    EXPECT_EQ(shown_by_tensorboard(paths()), shown_by_tensorboard(whole_));
  }
  EXPECT_EQ(read_metric(whole_, "loss").steps, (Steps{3, 6, 7}));
}

TEST_F(Resume, makes_up_for_all_that_a_kill_right_after_a_checkpoint_left_undone) {
  const Stop kill = [&](int64_t) { return has_checkpoint(4) ? throw Killed() : false; };
  EXPECT_THROW(run(options_, paths(), RunStart::fresh, kill), Killed);
  EXPECT_EQ(read_metric(paths(), "held_out_loss").steps, Steps{2});
  run(options_, paths(), RunStart::resume);
  expect_same_record(paths(), whole_);
}

TEST_F(Resume, makes_up_for_the_picture_and_the_quality) {
  const Stop kill = [&](int64_t) {
    return read_metric(paths(), "held_out_loss").steps.size() == 2 ? throw Killed() : false;
  };
  EXPECT_THROW(run(options_, paths(), RunStart::fresh, kill), Killed);
  EXPECT_TRUE(has_checkpoint(4));
  EXPECT_EQ(pictures_of(paths()).size(), 1U);
  run(options_, paths(), RunStart::resume);
  expect_same_record(paths(), whole_);
}

TEST_F(Resume, makes_up_for_the_quality_alone) {
  const Stop kill = [&](int64_t) {
    probe_.kill = has_checkpoint(4);
    return false;
  };
  EXPECT_THROW(run(options_, paths(), RunStart::fresh, kill), Killed);
  EXPECT_TRUE(has_checkpoint(4));
  EXPECT_EQ(pictures_of(paths()).size(), 2U);
  EXPECT_EQ(read_metric(paths(), "quality").steps, Steps{2});
  probe_.kill = false;
  run(options_, paths(), RunStart::resume);
  expect_same_record(paths(), whole_);
}

TEST_F(Resume, makes_up_for_what_somebody_who_stopped_it_did_not_wait_for) {
  const Stop stop = [&](int64_t) { return has_checkpoint(4); };
  EXPECT_EQ(run(options_, paths(), RunStart::fresh, stop).steps, 4);
  EXPECT_EQ(read_metric(paths(), "held_out_loss").steps, Steps{2});
  // Stopped again at once, it has still done nothing.
  run(options_, paths(), RunStart::resume, [](int64_t) { return true; });
  EXPECT_EQ(read_metric(paths(), "held_out_loss").steps, Steps{2});
  run(options_, paths(), RunStart::resume);
  expect_same_record(paths(), whole_);
}

TEST_F(Resume, makes_up_for_a_picture_of_any_name) {
  const Image dot = {.width = 1, .height = 1, .channels = 1, .pixels = {7}};
  const auto draw = [&](const Snapshot&) { return MeasurementOutput{.picture = dot}; };
  measurements_ = {{.name = "maps", .every = 2, .measure = draw}};
  const auto drawn = [&] {
    Steps steps;
    for (int64_t step = 0; step < 9; ++step) {
      if (fs::exists(paths().picture("maps", step))) steps.push_back(step);
    }
    return steps;
  };
  const Stop kill = [&](int64_t) { return has_checkpoint(6) ? throw Killed() : false; };
  EXPECT_THROW(run(options_, paths(), RunStart::fresh, kill), Killed);
  EXPECT_EQ(drawn(), (Steps{2, 4}));
  // Of a step after the checkpoint that it falls back to.
  fs::remove(paths().checkpoints() / "step-0000006" / "weights.safetensors");
  fs::copy(paths().picture("maps", 4), paths().picture("maps", 5));
  run(options_, paths(), RunStart::resume);
  EXPECT_EQ(drawn(), (Steps{2, 4, 6, 7}));
  EXPECT_TRUE(same_end(paths(), whole_));
}

TEST_F(Resume, makes_up_for_nothing_twice) {
  run(options_, paths(), RunStart::fresh, after(4));
  for (int i = 0; i < 3; ++i) run(options_, paths(), RunStart::resume, after(0));
  run(options_, paths(), RunStart::resume);
  EXPECT_EQ(log_of(paths()), log_of(whole_));
  EXPECT_EQ(shown_by_tensorboard(paths()), shown_by_tensorboard(whole_));
}

TEST_F(Resume, measures_what_is_not_finite_only_once) {
  probe_.spoiled = true;
  run(options_, paths(), RunStart::fresh);
  const auto before = log_of(paths());
  probe_.measured = 0;
  run(options_, paths(), RunStart::resume);
  EXPECT_EQ(probe_.measured, 0);
  EXPECT_EQ(log_of(paths()), before);
}

// Everything a checkpoint has, missing or damaged in turn.
TEST_F(Resume, falls_back_to_the_checkpoint_before_a_damaged_one) {
  for (const char* file :
       {"model.safetensors", "weights.safetensors", "optimiser.safetensors", "progress.json"}) {
    for (const bool missing : {true, false}) {
      SCOPED_TRACE(file);
      fs::remove_all(paths().folder);
      EXPECT_THROW(run(options_, paths(), RunStart::fresh, killed_after(5)), Killed);
      const fs::path damaged = paths().checkpoints() / "step-0000004" / file;
      fs::remove(damaged);
      if (!missing) write_file(damaged, "nonsense");
      run(options_, paths(), RunStart::resume);
      expect_same_record(paths(), whole_);
      const std::string said = said_.str();
      EXPECT_NE(said.find("step-0000004"), std::string::npos) << said;
      EXPECT_NE(said.find("resuming from step-0000002"), std::string::npos) << said;
      EXPECT_NE(said.find("as step-0000004.damaged"), std::string::npos) << said;
      EXPECT_TRUE(fs::exists(paths().checkpoints() / "step-0000004.damaged"));
    }
  }
}

TEST_F(Resume, drops_what_was_drawn_after_the_checkpoint_it_falls_back_to) {
  run(options_, paths(), RunStart::fresh, after(6));
  EXPECT_EQ(pictures_of(paths()).size(), 3U);
  write_file(paths().samples() / "notes.txt", "mine");
  fs::remove(paths().checkpoints() / "step-0000006" / "weights.safetensors");
  run(options_, paths(), RunStart::resume, after(1));
  const auto pictures = pictures_of(paths());
  EXPECT_TRUE(pictures.contains("step-0000004.png"));
  EXPECT_FALSE(pictures.contains("step-0000006.png"));
  EXPECT_TRUE(pictures.contains("notes.txt"));
  EXPECT_EQ(read_metric(paths(), "held_out_loss").steps, (Steps{2, 4}));
}

// The checkpoint may be sound: another time it can be read.
TEST_F(Resume, refuses_when_the_system_does_not_let_it_read_a_checkpoint) {
  run(options_, paths(), RunStart::fresh, after(4));
  for (const char* name : {"weights.safetensors", "progress.json"}) {
    SCOPED_TRACE(name);
    const fs::path file = paths().checkpoints() / "step-0000004" / name;
    fs::rename(file, folder_ / "sound");
    fs::create_symlink(file, file);  // as unreadable as a file without permission, also for root
    expect_error(ErrorKind::io, name, [&] { run(options_, paths(), RunStart::resume); });
    EXPECT_EQ(steps_in(paths()), (Steps{2, 4}));
    EXPECT_FALSE(fs::exists(paths().checkpoints() / "step-0000004.damaged"));
    fs::remove(file);
    fs::rename(folder_ / "sound", file);
  }
  run(options_, paths(), RunStart::resume);
  EXPECT_TRUE(same_end(paths(), whole_));
}

TEST_F(Resume, that_comes_to_nothing_leaves_a_damaged_checkpoint_where_it_is) {
  run(options_, paths(), RunStart::fresh, after(4));
  write_file(paths().checkpoints() / "step-0000004" / "weights.safetensors", "nonsense");
  EXPECT_THROW(run(options_, paths(), RunStart::resume, killed_after(0)), Killed);
  EXPECT_EQ(steps_in(paths()), (Steps{2, 4}));
  EXPECT_FALSE(fs::exists(paths().checkpoints() / "step-0000004.damaged"));
}

TEST_F(Resume, refuses_when_no_checkpoint_can_be_read_and_leaves_them) {
  run(options_, paths(), RunStart::fresh, after(4));
  for (const char* step : {"step-0000002", "step-0000004"}) {
    write_file(paths().checkpoints() / step / "progress.json", "nonsense");
  }
  expect_input_error("step-0000004", [&] { run(options_, paths(), RunStart::resume); });
  EXPECT_EQ(steps_in(paths()), (Steps{2, 4}));
}

TEST_F(Resume, of_another_run_is_no_matter_of_older_checkpoints) {
  run(options_, paths(), RunStart::fresh, after(4));
  options_.seed = 1;
  expect_input_error("another seed", [&] { run(options_, paths(), RunStart::resume); });
  EXPECT_EQ(steps_in(paths()), (Steps{2, 4}));
}

// The number that people see is the same wherever they look.
TEST_F(Resume, tells_one_loss_everywhere) {
  const RunSummary summary = run(options_, paths("again"), RunStart::fresh);
  const double loss = read_metric(paths("again"), "loss").values.back();
  EXPECT_EQ(summary.loss.loss, loss);
  EXPECT_EQ(summary.loss.last, 7);
  EXPECT_TRUE(progress_.last_note.starts_with(fmt::format("loss {:.4g}", loss)));
  EXPECT_EQ(read_progress(paths("again").checkpoints() / "step-0000007")->loss, summary.loss);
  const auto shown = shown_by_tensorboard(paths("again"));
  const auto last = std::find_if(shown.rbegin(), shown.rend(),
                                 [](const Shown& one) { return std::get<0>(one) == "loss"; });
  EXPECT_EQ(std::get<2>(*last), static_cast<float>(loss));
  // A run that is stopped between two lines tells of the last one.
  const RunSummary stopped = run(options_, paths("stopped"), RunStart::fresh, after(5));
  EXPECT_EQ(stopped.loss.loss, read_metric(paths("stopped"), "loss").values.back());
  EXPECT_EQ(stopped.loss.last, 3);
}

TEST_F(Resume, a_line_is_the_mean_of_all_steps_since_the_one_before) {
  options_.cadence.log_every = 1;
  run(options_, paths("each"), RunStart::fresh);
  const std::vector<double> each = read_metric(paths("each"), "loss").values;
  const std::vector<double> lines = read_metric(whole_, "loss").values;
  ASSERT_EQ(each.size(), 7U);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_DOUBLE_EQ(lines[0], (each[0] + each[1] + each[2]) / 3);
  EXPECT_DOUBLE_EQ(lines[1], (each[3] + each[4] + each[5]) / 3);
  EXPECT_EQ(lines[2], each[6]);
}

}  // namespace
}  // namespace eqm::test
