#include "eqm/train/checkpoint.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/file_size_limit.h"
#include "tests/support/golden.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_training.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

const RunIdentity kIdentity = {{"architecture", "{}"}, {"data set", "7 examples"}, {"seed", "1"}};
const std::vector<std::string> kFiles = {"model.safetensors", "optimiser.safetensors",
                                         "progress.json", "weights.safetensors"};

TrainingState fresh_state(ObjectiveKind kind = ObjectiveKind::eqm,
                          torch::ScalarType type = torch::kFloat32, uint64_t seed = 77) {
  const auto sit = small_sit();
  shake(*sit, 0.3, seed);
  sit->to(type);
  return {model_of(sit, kind), {.weight_decay = 0.01}};
}

TrainOptions options() {
  TrainOptions all;
  all.steps = 20;
  all.schedule = {.lr = 0.01, .kind = ScheduleKind::cosine, .warm_up = 2};
  all.ema = 0.8;
  all.ema_warm_up = true;
  return all;
}

std::vector<int64_t> steps_in(const fs::path& folder) {
  std::vector<int64_t> steps;
  for (const Checkpoint& checkpoint : find_checkpoints(folder)) steps.push_back(checkpoint.step);
  return steps;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

Bytes bytes_of(const fs::path& path) {
  const MappedFile file = MappedFile::open(path);
  return {file.bytes().begin(), file.bytes().end()};
}

TEST(Checkpoint, training_goes_on_bit_for_bit) {
  for (const ObjectiveKind kind : {ObjectiveKind::eqm, ObjectiveKind::eqm_dot}) {
    for (const torch::ScalarType type : kPrecisions) {
      TrainingState whole = fresh_state(kind, type);
      train_to(7, whole, options());
      for (const int64_t stop : {0, 1, 4, 7}) {
        const TemporaryFolder folder;
        Checkpoint checkpoint;
        {
          TrainingState state = fresh_state(kind, type);
          train_to(stop, state, options());
          checkpoint = save_checkpoint(folder / "checkpoints", state, kIdentity);
        }
        // Begins elsewhere: nothing but the checkpoint can bring it back.
        TrainingState state = fresh_state(kind, type, 5);
        train_to(2, state, options());
        load_checkpoint(checkpoint, kIdentity, state);
        EXPECT_EQ(state.step, stop);
        train_to(7, state, options());
        EXPECT_TRUE(same_bits(tensors_of(state), tensors_of(whole))) << "stopped at " << stop;
        EXPECT_EQ(state.optimiser.steps(), 7);
        EXPECT_EQ(state.losses.sums, whole.losses.sums);
      }
    }
  }
}

TEST(Checkpoint, survives_any_number_of_stops) {
  TrainingState whole = fresh_state();
  train_to(6, whole, options());
  const TemporaryFolder folder;
  for (int64_t step = 0; step < 6; ++step) {
    TrainingState state =
        fresh_state(ObjectiveKind::eqm, torch::kFloat32, 100 + static_cast<uint64_t>(step));
    if (step == 0) {
      state = fresh_state();
    } else {
      load_checkpoint(find_checkpoints(folder.path()).back(), kIdentity, state);
    }
    train_to(step + 1, state, options());
    save_checkpoint(folder.path(), state, kIdentity);
    if (step < 5) continue;
    EXPECT_TRUE(same_bits(tensors_of(state), tensors_of(whole)));
  }
}

TEST(Checkpoint, is_a_folder_named_after_the_step) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(3, state, options());
  const Checkpoint saved = save_checkpoint(folder / "a/b", state, kIdentity);
  EXPECT_EQ(saved.path, folder / "a/b/step-0000003");
  EXPECT_EQ(saved.step, 3);
  EXPECT_EQ(names_in(saved.path), kFiles);
  EXPECT_EQ(names_in(folder / "a/b"), std::vector<std::string>{"step-0000003"});
}

TEST(Checkpoint, holds_the_averaged_weights_as_a_model) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state(ObjectiveKind::eqm_dot);
  state.model.class_names = {"a", "b", "c"};
  state.model.scaling = Scaling::pixels();
  train_to(2, state, options());
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  const Model model = load_model(saved.path / "model.safetensors");
  EXPECT_TRUE(same_bits(weights_of(*model.backbone), weights_of(*state.ema.backbone())));
  EXPECT_FALSE(same_bits(weights_of(*model.backbone), weights_of(*state.model.backbone)));
  EXPECT_EQ(model.objective.kind, ObjectiveKind::eqm_dot);
  EXPECT_EQ(model.class_names, state.model.class_names);
  EXPECT_EQ(model.scaling, Scaling::pixels());
}

TEST(Checkpoint, saving_twice_keeps_the_first) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(2, state, options());
  const Checkpoint first = save_checkpoint(folder.path(), state, kIdentity);
  const Bytes before = bytes_of(first.path / "weights.safetensors");
  const Checkpoint again = save_checkpoint(folder.path(), state, kIdentity);
  EXPECT_EQ(again.path, first.path);
  EXPECT_EQ(bytes_of(first.path / "weights.safetensors"), before);
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"step-0000002"});
}

TEST(Checkpoint, a_full_disk_leaves_the_older_ones_and_no_rubbish) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(1, state, options());
  const Checkpoint older = save_checkpoint(folder.path(), state, kIdentity);
  const NamedTensors expected = copies_of(tensors_of(state));
  train_to(2, state, options());
  {
    const FileSizeLimit full_disk(4096);
    expect_error(ErrorKind::io, "cannot write",
                 [&] { save_checkpoint(folder.path(), state, kIdentity); });
  }
  EXPECT_EQ(names_in(folder.path()), std::vector<std::string>{"step-0000001"});
  load_checkpoint(older, kIdentity, state);
  EXPECT_TRUE(same_bits(tensors_of(state), expected));
}

TEST(Checkpoint, is_not_made_of_weights_that_are_lost) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(1, state, options());
  {
    const torch::NoGradGuard guard;
    state.model.backbone->named_parameters()["final_layer.linear.bias"][0].fill_(NAN);
  }
  expect_error(ErrorKind::numeric, "'final_layer.linear.bias' is not finite after step 1",
               [&] { save_checkpoint(folder.path(), state, kIdentity); });
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(Checkpoint, brings_back_the_sign_of_the_output) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  state.model.output_sign = -1;
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  TrainingState other = fresh_state();
  load_checkpoint(saved, kIdentity, other);
  EXPECT_EQ(other.model.output_sign, -1);
}

TEST(Checkpoint, tells_its_progress) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(3, state, options());
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  const auto progress = read_progress(saved.path);
  ASSERT_TRUE(progress.has_value());
  EXPECT_EQ(progress->step, 3);
  EXPECT_EQ(progress->loss, state.losses.shown());
  EXPECT_FALSE(read_progress(folder.path()).has_value());
  write_file(saved.path / "progress.json", "{\"step\": 3");
  EXPECT_FALSE(read_progress(saved.path).has_value());
}

TEST(Checkpoint, names_what_differs_between_two_runs) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  for (const auto& [name, value] : kIdentity) {
    RunIdentity other = kIdentity;
    other[name] = "something else";
    SCOPED_TRACE(name);
    expect_input_error("another " + name, [&] { load_checkpoint(saved, other, state); });
    expect_input_error(value + " then", [&] { load_checkpoint(saved, other, state); });
    expect_input_error("something else now", [&] { load_checkpoint(saved, other, state); });
  }
  RunIdentity newer = kIdentity;
  newer["batch"] = "64";
  expect_input_error("another batch (nothing then, 64 now)",
                     [&] { load_checkpoint(saved, newer, state); });
  load_checkpoint(saved, kIdentity, state);
}

TEST(Checkpoint, of_another_architecture_is_refused) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  SitConfig config = small_sit_config();
  config.depth = 1;
  TrainingState other({model_of(small_sit(config), ObjectiveKind::eqm)}, {});
  expect_input_error("blocks.1", [&] { load_checkpoint(saved, kIdentity, other); });
}

TEST(Checkpoint, shows_the_entries_in_which_two_architectures_differ) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  const Checkpoint saved = save_checkpoint(
      folder.path(), state, {{"architecture", R"({"depth": 3, "kind": "sit", "width": 8})"}});
  const RunIdentity wider = {{"architecture", R"({"depth": 3, "kind": "sit", "width": 16})"}};
  expect_input_error("another architecture (width 8 then, 16 now)",
                     [&] { load_checkpoint(saved, wider, state); });
}

TEST(Checkpoint, keeps_the_window_of_losses_and_the_last_line) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(3, state, options());
  state.losses.close();
  train_to(5, state, options());
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  TrainingState other = fresh_state();
  load_checkpoint(saved, kIdentity, other);
  EXPECT_EQ(other.losses.sums, state.losses.sums);
  EXPECT_EQ(other.losses.logged, state.losses.logged);
  EXPECT_EQ(other.losses.sums.steps, 2);
  EXPECT_EQ(other.losses.logged.last, 3);
}

TEST(Checkpoint, of_a_version_that_kept_no_window_is_read) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  train_to(3, state, options());
  const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
  const fs::path file = saved.path / "progress.json";
  auto progress = nlohmann::json::parse(std::string(MappedFile::open(file).text()));
  progress.erase("losses");
  progress["smooth_loss"] = 1.5;
  write_file(file, progress.dump());
  TrainingState other = fresh_state();
  load_checkpoint(saved, kIdentity, other);
  EXPECT_EQ(other.step, 3);
  EXPECT_EQ(other.losses.shown().steps, 0);
  EXPECT_EQ(read_progress(saved.path)->loss.steps, 0);
}

TEST(Checkpoint, set_aside_is_no_longer_one) {
  const TemporaryFolder folder;
  TrainingState state = fresh_state();
  for (int i = 0; i < 2; ++i) {
    const Checkpoint saved = save_checkpoint(folder.path(), state, kIdentity);
    EXPECT_EQ(set_aside(saved), folder / "step-0000000.damaged");
    EXPECT_TRUE(steps_in(folder.path()).empty());
    EXPECT_EQ(names_in(folder / "step-0000000.damaged"), kFiles);
  }
}

class DamagedCheckpoint : public ::testing::Test {
 protected:
  DamagedCheckpoint() {
    train_to(2, state_, options());
    saved_ = save_checkpoint(folder_.path(), state_, kIdentity);
  }

  void expect_refusal() {
    expect_input_error(saved_.path.string(), [&] { load_checkpoint(saved_, kIdentity, state_); });
    EXPECT_THROW(load_checkpoint(saved_, kIdentity, state_), UnreadableCheckpoint);
  }

  TemporaryFolder folder_;
  TrainingState state_ = fresh_state();
  Checkpoint saved_;
};

TEST_F(DamagedCheckpoint, with_a_truncated_file_is_an_input_error) {
  for (const std::string& name : kFiles) {
    const Bytes whole = bytes_of(saved_.path / name);
    for (const Bytes& part : truncations(whole)) {
      // Nothing is lost with the line end behind the JSON.
      if (name == "progress.json" && part.size() + 1 == whole.size()) continue;
      write_file(saved_.path / name, part);
      SCOPED_TRACE(name + " cut to " + std::to_string(part.size()));
      expect_refusal();
    }
    write_file(saved_.path / name, whole);
  }
  load_checkpoint(saved_, kIdentity, state_);
}

// One bit of a weight is nothing a file format could notice.
TEST_F(DamagedCheckpoint, with_a_changed_bit_is_an_input_error) {
  for (const std::string& name : kFiles) {
    if (name == "progress.json") continue;
    const Bytes whole = bytes_of(saved_.path / name);
    Bytes changed = whole;
    changed[whole.size() - 10] ^= std::byte{4};
    write_file(saved_.path / name, changed);
    expect_input_error(name + " is damaged", [&] { load_checkpoint(saved_, kIdentity, state_); });
    write_file(saved_.path / name, whole);
  }
  load_checkpoint(saved_, kIdentity, state_);
}

TEST_F(DamagedCheckpoint, with_senseless_progress_is_an_input_error) {
  const auto whole =
      nlohmann::json::parse(std::string(MappedFile::open(saved_.path / "progress.json").text()));
  for (const char* text : {"nonsense", "[]", "{}", "3", "null", "\"step\"", "\xff\xfe"}) {
    SCOPED_TRACE(text);
    write_file(saved_.path / "progress.json", std::string_view(text));
    expect_refusal();
  }
  for (const char* key : {"step", "output_sign", "losses", "identity", "check_sums"}) {
    for (const nlohmann::json& value : std::vector<nlohmann::json>{
             nullptr, "text", nlohmann::json::array({1}), nlohmann::json::object({{"a", 1}})}) {
      nlohmann::json changed = whole;
      changed[key] = value;
      SCOPED_TRACE(changed.dump());
      write_file(saved_.path / "progress.json", changed.dump());
      expect_refusal();
    }
    nlohmann::json without = whole;
    without.erase(key);
    SCOPED_TRACE(without.dump());
    write_file(saved_.path / "progress.json", without.dump());
    expect_refusal();
  }
}

TEST_F(DamagedCheckpoint, with_progress_of_another_is_an_input_error) {
  const auto whole =
      nlohmann::json::parse(std::string(MappedFile::open(saved_.path / "progress.json").text()));
  for (const auto& [key, value] : std::vector<std::pair<std::string, nlohmann::json>>{
           {"step", 3}, {"step", -2}, {"output_sign", 0}, {"output_sign", 2}}) {
    nlohmann::json changed = whole;
    changed[key] = value;
    SCOPED_TRACE(changed.dump());
    write_file(saved_.path / "progress.json", changed.dump());
    expect_refusal();
  }
}

TEST_F(DamagedCheckpoint, with_files_that_changed_places_is_an_input_error) {
  const Bytes model = bytes_of(saved_.path / "model.safetensors");
  const Bytes memory = bytes_of(saved_.path / "optimiser.safetensors");
  write_file(saved_.path / "model.safetensors", memory);
  expect_refusal();
  write_file(saved_.path / "model.safetensors", model);
  write_file(saved_.path / "optimiser.safetensors", model);
  expect_refusal();
}

TEST_F(DamagedCheckpoint, with_a_missing_file_is_an_error_that_names_it) {
  for (const std::string& name : kFiles) {
    const Bytes whole = bytes_of(saved_.path / name);
    fs::remove(saved_.path / name);
    expect_error(ErrorKind::io, name, [&] { load_checkpoint(saved_, kIdentity, state_); });
    write_file(saved_.path / name, whole);
  }
}

TEST(FindCheckpoints, sees_whole_checkpoints_only_by_step) {
  const TemporaryFolder folder;
  for (const char* name : {"step-0000010", "step-0000009", "step-12345678", "step-0000000"}) {
    create_folder(folder / name);
  }
  for (const char* other :
       {"step-abc", "step-", "step-12x", "step--5", "step-+5", "step- 5", "step", "5",
        ".eqm-0123456789abcdef.tmp", "xstep-0000004", "step-99999999999999999999"}) {
    create_folder(folder / other);
  }
  write_file(folder / "step-0000007", "a file is no checkpoint");
  EXPECT_EQ(steps_in(folder.path()), (std::vector<int64_t>{0, 9, 10, 12345678}));
}

TEST(FindCheckpoints, finds_none_where_there_is_no_folder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(find_checkpoints(folder / "absent").empty());
  EXPECT_TRUE(find_checkpoints(folder.path()).empty());
}

TEST(FindCheckpoints, says_when_it_cannot_look) {
  const TemporaryFolder folder;
  write_file(folder / "file", "text");
  expect_error(ErrorKind::io, "file", [&] { find_checkpoints(folder / "file"); });
}

class Pruning : public ::testing::Test {
 protected:
  Pruning() {
    for (const char* name :
         {"step-0000002", "step-0000004", "step-0000006", "step-0000008", "step-0000010"}) {
      create_folder(folder_ / name);
      write_file(folder_ / name / "file", "text");
    }
    create_folder(folder_ / "notes");
  }

  std::vector<int64_t> left(int64_t keep_last, int64_t keep_every) {
    prune_checkpoints(folder_.path(), keep_last, keep_every);
    return steps_in(folder_.path());
  }

  TemporaryFolder folder_;
};

using Steps = std::vector<int64_t>;

TEST_F(Pruning, keeps_the_last_ones) {
  EXPECT_EQ(left(7, 0), (Steps{2, 4, 6, 8, 10}));
  EXPECT_EQ(left(3, 0), (Steps{6, 8, 10}));
  EXPECT_EQ(left(1, 0), (Steps{10}));
  EXPECT_EQ(names_in(folder_.path()), (std::vector<std::string>{"notes", "step-0000010"}));
}

TEST_F(Pruning, keeps_milestones_beside_the_last_ones) {
  EXPECT_EQ(left(1, 4), (Steps{4, 8, 10}));
  EXPECT_EQ(left(1, 4), (Steps{4, 8, 10}));
  EXPECT_EQ(left(1, 3), (Steps{10}));
}

TEST_F(Pruning, of_nothing_does_nothing) {
  prune_checkpoints(folder_ / "absent", 1, 0);
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
}

}  // namespace
}  // namespace eqm::test
