// Temporary files of programs that were killed or interrupted: the next run removes them, and
// Ctrl-C leaves none.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/golden_folder.h"
#include "tests/support/made_picture.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kModel = EQM_SOURCE_FOLDER "/models/fashion-xs4.safetensors";
constexpr const char* kLeft = ".eqm-0123456789abcdef.tmp";

class TemporariesCli : public ::testing::Test {
 protected:
  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }

  // Of the test's folder and those below it.
  Words temporaries() const {
    Words names;
    std::error_code gone;  // folders may vanish while one looks
    for (fs::recursive_directory_iterator entry(folder_.path(), gone), end; !gone && entry != end;
         entry.increment(gone)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with(".eqm-") && name.ends_with(".tmp")) names.push_back(name);
    }
    return names;
  }

  // Starts the program and sends the signal while it is writing. Where it was faster, again.
  ProgramResult interrupt(const Words& arguments, int signal) {
    for (int attempt = 0; attempt < 100; ++attempt) {  // a busy machine misses many
      RunningProgram program(arguments, {.folder = folder_.path()});
      while (temporaries().empty() && !program.has_ended()) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
      program.send(signal);
      const ProgramResult result = program.wait();
      if (result.exit_code != 0) return result;
    }
    ADD_FAILURE() << "the program was never caught writing";
    return {};
  }

  void expect_sweeping_after_a_kill(const Words& arguments) {
    SCOPED_TRACE(arguments[0]);
    EXPECT_EQ(interrupt(arguments, SIGKILL).signal, SIGKILL);
    EXPECT_FALSE(temporaries().empty());
    const ProgramResult again = run(arguments);
    EXPECT_EQ(again.exit_code, 0) << again.errors;
    EXPECT_EQ(temporaries(), Words{});
  }

  // What a dead writer has left where the verb writes.
  void expect_sweeping(const Words& arguments, const Words& folders) {
    SCOPED_TRACE(arguments[0]);
    for (const std::string& name : folders) {
      fs::create_directories(folder_ / name);
      std::ofstream(folder_ / name / kLeft) << "half a file";
    }
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(temporaries(), Words{});
  }

  // Weights of the shipped model for the reference, with so many classes that an import takes a
  // while. Nearly all of the file is a hole.
  void write_large_weights(const std::string& name) {
    ASSERT_EQ(run({"export", kModel, "--for", "reference", "--out", "small.safetensors"}).exit_code,
              0);
    const std::string table = "y_embedder.embedding_table.weight";
    const SafetensorsFile small = SafetensorsFile::open(folder_ / "small.safetensors");
    nlohmann::json header;
    std::string data;
    const auto add = [&](const std::string& tensor, std::vector<int64_t> shape, uint64_t bytes) {
      header[tensor] = {
          {"dtype", "F32"}, {"shape", shape}, {"data_offsets", {data.size(), data.size() + bytes}}};
    };
    for (const std::string& tensor : small.names()) {
      const TensorView& view = small.at(tensor);
      if (tensor == table) continue;
      add(tensor, view.shape, view.bytes.size());
      data += eqm::text_of(view.bytes);
    }
    constexpr int64_t kRows = 200'001;
    const int64_t width = small.at(table).shape[1];
    const auto bytes = static_cast<uint64_t>(kRows * width) * 4;
    add(table, {kRows, width}, bytes);
    std::string length(8, '\0'), text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(text.size() >> (8 * i));
    write_file(folder_ / name, length + text + data);
    fs::resize_file(folder_ / name, 8 + text.size() + data.size() + bytes);
  }

  TemporaryFolder folder_;
};

TEST_F(TemporariesCli, of_killed_samples_are_swept) {
  const Words sample = {"sample",   "--model", kModel, "--per-class", "2",  "--labels",
                        "coat,bag", "--rule",  "land", "--out",       "out"};
  expect_sweeping_after_a_kill(sample);
  Words with_npz = sample;
  with_npz.insert(with_npz.end(), {"--npz", "all.npz", "--no-pictures"});
  expect_sweeping_after_a_kill(with_npz);
}

TEST_F(TemporariesCli, of_a_killed_or_interrupted_import_do_not_stay) {
  write_large_weights("large.safetensors");
  const Words import = {"import", "large.safetensors", "--out", "model.safetensors"};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EQ(interrupt(import, signal).signal, signal);  // as the shell expects
    EXPECT_EQ(temporaries(), Words{});
    EXPECT_FALSE(fs::exists(folder_ / "model.safetensors"));
  }
  expect_sweeping_after_a_kill(import);
}

TEST_F(TemporariesCli, of_a_sample_that_is_told_twice_do_not_stay) {
  // Where it was faster to stop than we to say it again, once more.
  for (int attempt = 0; attempt < 20; ++attempt) {
    RunningProgram program({"sample", "--model", kModel, "--per-class", "5000", "--rule", "land",
                            "--out", "out", "--npz", "all.npz"},
                           {.folder = folder_.path()});
    while (temporaries().size() < 2 && !program.has_ended()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.send(SIGINT);
    ASSERT_TRUE(program.wait_for("stopping soon"));  // two at once may arrive as one
    program.send(SIGINT);
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.exit_code, 128 + SIGINT) << result.errors;
    EXPECT_EQ(temporaries(), Words{});
    if (!fs::exists(folder_ / "out/grid.png")) return;  // it left at once
    fs::remove_all(folder_ / "out");
  }
  FAIL() << "the program never left at once";
}

TEST_F(TemporariesCli, of_a_dead_writer_are_swept_by_every_verb_that_writes_there) {
  expect_sweeping({"export", kModel, "--out", "files/model.safetensors"}, {"files"});
  expect_sweeping({"bench", "operators", "--only", "xs/4 Gated residual", "--rounds", "1",
                   "--seconds", "0", "--threads", "1", "--json", "bench/a.json"},
                  {"bench"});
  expect_sweeping({"landscape", "--steps", "2", "--samples", "8", "--out", "plane"}, {"plane"});
  fs::create_directory(folder_ / "pictures");
  for (int i = 0; i < 4; ++i) {
    write_png(folder_ / ("pictures/" + std::to_string(i) + ".png"), plain_image(28, 28, 1, 9));
  }
  expect_sweeping(
      {"score", "--model", kModel, "--data", "pictures", "--count", "4", "--out", "score"},
      {"score"});
  expect_sweeping({"denoise", "--model", kModel, "--data", "pictures", "--count", "2", "--label",
                   "null", "--limit", "2", "--out", "denoise"},
                  {"denoise"});
}

TEST_F(TemporariesCli, of_killed_encoding_are_swept) {
  std::string tar;
  for (int i = 0; i < 6; ++i) {
    tar += tar_file("cat/" + std::to_string(i) + ".jpg", jpeg_of(plain_image(20, 24, 3, 40)));
  }
  write_file(folder_ / "train.tar", tar + tar_end());
  expect_sweeping({"encode", "train.tar", "--size", "16", "--vae",
                   (golden_root() / "nets/vae/vae_b.weights.safetensors").string(), "--out",
                   "latents", "--per-shard", "1"},
                  {"latents/train"});
}

}  // namespace
}  // namespace eqm::test
