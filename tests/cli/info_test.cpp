// eqm info of whatever a user may point at.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/tensorboard.h"
#include "tests/cli/run_program.h"
#include "tests/support/gzip.h"
#include "tests/support/made_idx.h"
#include "tests/support/made_picture.h"
#include "tests/support/pickle_builder.h"
#include "tests/support/tar_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class InfoCli : public ::testing::Test {
 protected:
  ProgramResult info(const std::string& what) {
    return run_program({"info", what}, {.folder = folder_.path()});
  }

  void expect_lines(const std::string& what, const Words& parts) {
    SCOPED_TRACE(what);
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(result.output, part)) << "'" << part << "' is not in\n" << result.output;
    }
  }

  void expect_failure(const std::string& what, int exit_code, const std::string& part) {
    SCOPED_TRACE(what);
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_TRUE(contains(result.errors, "hint: ")) << result.errors;
  }

  TemporaryFolder folder_;
};

TEST_F(InfoCli, pictures_tell_their_size_and_texts) {
  write_png(folder_ / "a.png", plain_image(7, 5, 3, 9), {{"Seed", "42"}, {"Model", "moons"}});
  expect_lines("a.png", {"picture", "PNG", "7 wide, 5 high, colour", "Seed", "42", "moons"});
  write_file(folder_ / "b.jpg", jpeg_of(plain_image(8, 16, 1, 9)));
  expect_lines("b.jpg", {"JPEG", "8 wide, 16 high, grey"});
  write_file(folder_ / "c.png", png_of(plain_image(8, 16, 1, 9)).substr(0, 40));
  expect_failure("c.png", 3, "c.png");
}

TEST_F(InfoCli, data_sets_tell_their_examples_and_classes) {
  for (const char* place : {"set/cat", "set/dog"}) {
    fs::create_directories(folder_ / place);
    write_png(folder_ / place / fs::path("1.png"), plain_image(4, 6, 3, 9));
  }
  expect_lines("set", {"data set", "examples       2\n", "6x4 pixels, colour", "2: 'cat', 'dog'"});
  std::vector<uint8_t> pixels(2 * 3 * 4 * 4);
  write_safetensors(folder_ / "d.safetensors",
                    {{"images", {Dtype::u8, {2, 3, 4, 4}, std::as_bytes(std::span(pixels))}}});
  expect_lines("d.safetensors", {"data set", "4x4 pixels, colour", "classes        none"});
  const std::vector<float> states(2 * 8 * 4 * 4);
  for (const char* name : {"x", "latents", "posteriors"}) {
    write_safetensors(folder_ / "l.safetensors",
                      {{name, {Dtype::f32, {2, 8, 4, 4}, std::as_bytes(std::span(states))}}});
    SCOPED_TRACE(name);
    expect_lines("l.safetensors", {"data set", "examples       2\n"});
  }
  fs::create_directory(folder_ / "nothing");
  expect_failure("nothing", 3, "nothing");
}

TEST_F(InfoCli, pictures_of_several_sizes_tell_their_range) {
  for (const char* place : {"set/cat", "set/dog"}) fs::create_directories(folder_ / place);
  write_png(folder_ / "set/cat/1.png", plain_image(7, 6, 3, 9));
  write_png(folder_ / "set/cat/2.png", plain_image(20, 6, 3, 9));
  write_png(folder_ / "set/dog/1.png", plain_image(5, 6, 3, 9));
  write_file(folder_ / "set/dog/2.png", "damaged");
  expect_lines("set", {"examples       4\n", "6 high, 5 to 20 wide, colour; `eqm train --size N`",
                       "2: 'cat', 'dog'"});
  for (int i = 0; i < 70; ++i) {
    write_png(folder_ / "set/dog" / fs::path(std::to_string(100 + i) + ".png"),
              plain_image(8, 8 + i, 3, 9));
  }
  expect_lines("set", {"examples       74\n", "of 64 that were looked at"});
}

TEST_F(InfoCli, installed_data_sets_tell_of_both_parts) {
  if (!fs::exists("/usr/share/datasets/fashion-mnist")) {
    GTEST_SKIP() << "dataset-fashion-mnist is not installed";
  }
  expect_lines("fashion-mnist",
               {"60000 to train on, 10000 to test with", "28x28 pixels, grey", "10: ", "coat"});
}

TEST_F(InfoCli, arrays_tell_their_shapes) {
  const std::vector<uint8_t> pixels(2 * 4 * 4 * 3);
  NpzWriter writer(folder_ / "s.npz", ZipMethod::stored);
  writer.begin("arr_0", Dtype::u8, {4, 4, 3});
  writer.write(std::as_bytes(std::span(pixels)));
  writer.end();
  writer.commit();
  expect_lines("s.npz", {"arrays", "'arr_0'", "U8 [2, 4, 4, 3], pictures"});
  const std::vector<double> mean = {0, 0}, unit = {1, 0, 0, 1};
  NpzWriter statistics(folder_ / "fid.npz", ZipMethod::stored);
  statistics.begin("mu", Dtype::f64, {});
  statistics.write(std::as_bytes(std::span(mean)));
  statistics.end();
  statistics.begin("sigma", Dtype::f64, {2});
  statistics.write(std::as_bytes(std::span(unit)));
  statistics.end();
  statistics.commit();
  expect_lines("fid.npz", {"statistics", "not recorded", "F64 [2, 2]"});
}

TEST_F(InfoCli, weights_tell_their_tensors) {
  using namespace pickled;
  write_file(folder_ / "a.pt", torch_zip(dict({{"ema", dict({{"w", vector_of("0", 2)}})},
                                               {"args", dict({{"model", text("EqM-B/2")}})}}),
                                         {{"0", "aaaabbbb"}}));
  expect_lines("a.pt", {"weights", "1 (1 F32)", "'ema'", "model=EqM-B/2", "'w': 2"});
  write_file(folder_ / "old.pt",
             torch_legacy(dict({{"w", vector_of("0", 1)}}), {"0"}, {{1, "aaaa"}}));
  expect_lines("old.pt", {"weights", "1 (1 F32)"});
  const std::vector<float> one = {1};
  write_safetensors(folder_ / "w.safetensors",
                    {{"a.weight", {Dtype::f32, {1}, std::as_bytes(std::span(one))}}});
  expect_lines("w.safetensors", {"weights", "'a.weight': 1"});
  expect_lines("fashion-xs4", {"model", "sit", "objective      eqm"});
}

TEST_F(InfoCli, options_tell_whose_they_are_and_what_they_set) {
  write_file(folder_ / "mine.toml", "base = \"other.toml\"\n[training]\nsteps = 77\n");
  write_file(folder_ / "other.toml", "[training]\nsteps = 5\nbatch = 3\n");
  expect_lines("mine.toml", {"eqm train", "--steps '77'", "--batch '3'", "--recipe mine.toml"});
  expect_lines("cifar10-s2", {"eqm train", "--model 'S/2'", "'data/cifar10'"});
  write_file(folder_ / "wrong.toml", "[training]\nstepps = 77\n");
  expect_failure("wrong.toml", 3, "stepps");
}

TEST_F(InfoCli, tables_and_lines_tell_their_columns) {
  write_file(folder_ / "p.csv", "x,y\n1,2\n3,-4.5\n");
  expect_lines("p.csv", {"table", "rows           2", "'x'", "from 1 to 3", "from -4.5 to 2"});
  write_file(folder_ / "t.csv", "image,source\n1,cat.png\n");
  expect_lines("t.csv", {"rows           1", "'image,source'"});
  write_file(folder_ / "m.jsonl", "{\"step\":1}\n{\"step\":2,\"loss\":0.5}\n");
  expect_lines("m.jsonl", {"lines          2", "'loss'", "'0.5'"});
}

TEST_F(InfoCli, idx_files_without_their_other_half_tell_what_they_hold) {
  write_file(folder_ / "train-images-idx3-ubyte",
             idx_bytes(kIdxImages, {2, 3, 4}, std::string(24, 'p')));
  expect_lines("train-images-idx3-ubyte", {"images", "count          2\n", "3x4 pixels, grey",
                                           "labels", "train-labels-idx1-ubyte"});
  write_file(folder_ / "train-labels-idx1-ubyte", idx_bytes(kIdxLabels, {2}, "\x01\x02"));
  expect_lines("train-labels-idx1-ubyte", {"labels", "count          2\n"});
  expect_lines("train-images-idx3-ubyte", {"data set", "3: '0', '1', '2'"});
  write_file(folder_ / "cut", idx_bytes(kIdxImages, {2, 3, 4}, std::string(23, 'p')));
  expect_failure("cut", 3, "holds 23 bytes behind its header, which announces 24");
}

TEST_F(InfoCli, folders_of_results_tell_who_wrote_them) {
  ASSERT_EQ(run_program({"sample", "fashion-xs4", "--labels", "bag,coat", "--per-class", "1",
                         "--limit", "4", "--seed", "7", "--out", "s"},
                        {.folder = folder_.path()})
                .exit_code,
            0);
  expect_lines("s", {"samples, by `eqm sample`", "samples        2: ", "Seed           '7'",
                     "grid.png", "pictures/, samples.jsonl"});
  fs::create_directory(folder_ / "d");
  write_file(folder_ / "d/denoise.csv", "image,source,steps\n0,a.png,4\n1,b.png,4\n");
  expect_lines("d", {"denoised images, by `eqm denoise`", "images         2\n"});
  fs::create_directory(folder_ / "e");
  write_file(folder_ / "e/evaluation.json", "{}");
  write_file(folder_ / "e/evaluation.png", "damaged");
  expect_lines("e", {"an evaluation, by `eqm evaluate`", "evaluation.json, evaluation.png"});
  fs::create_directory(folder_ / "l");
  write_file(folder_ / "l/config.toml", "");
  write_png(folder_ / "l/landscape.png", plain_image(4, 4, 3, 9), {{"Data", "moons"}});
  expect_lines("l", {"a landscape, by `eqm landscape`", "Data           'moons'", "config.toml"});
}

TEST_F(InfoCli, figures_and_events_tell_their_size) {
  write_file(folder_ / "f.svg",
             "<?xml version=\"1.0\"?>\n<svg xmlns=\"x\" width=\"64pt\" height=\"40pt\">\n</svg>\n");
  expect_lines("f.svg", {"figure", "SVG", "'64pt' wide, '40pt' high"});
  EventWriter events(folder_.path(), {.host = "here"});
  events.scalar("loss", 1, 0.5, 0);
  events.scalar("loss", 2, 0.25, 0);
  const std::string name = events.path().filename().string();
  const ProgramResult whole = info(name);
  EXPECT_TRUE(contains(whole.output, "events")) << whole.output << whole.errors;
  EXPECT_TRUE(contains(whole.output, "tensorboard --logdir .")) << whole.output;
  EXPECT_FALSE(contains(whole.output, "torn")) << whole.output;
  fs::resize_file(events.path(), fs::file_size(events.path()) - 1);
  expect_lines(name, {"and a torn one at the end"});
}

TEST_F(InfoCli, control_characters_of_names_do_not_reach_the_terminal) {
  const std::string evil = "a\x1b[31m\nb";
  fs::create_directories(folder_ / "set" / fs::path(evil));
  write_png(folder_ / "set" / fs::path(evil) / fs::path(evil + ".png"), plain_image(4, 4, 1, 9));
  write_png(folder_ / (evil + ".png"), plain_image(4, 4, 1, 9));
  for (const std::string& what : {std::string("set"), evil + ".png"}) {
    const ProgramResult result = info(what);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_FALSE(contains(result.output, "\x1b")) << result.output;
    EXPECT_TRUE(contains(result.output, "a\\x1b[31m\\x0ab")) << result.output;
  }
}

TEST_F(InfoCli, what_it_does_not_know_is_refused_with_a_hint) {
  write_file(folder_ / "text", "hello");
  expect_failure("text", 3, "'text' is not a file that eqm knows");
  write_file(folder_ / "empty.npz", "");
  expect_failure("empty.npz", 3, "empty.npz");
  expect_failure("absent.npz", 4, "cannot open 'absent.npz'");
  expect_failure("cifar10", 2, "'cifar10'");
  expect_failure("fashion-xs5", 2, "'fashion-xs5'");
}

}  // namespace
}  // namespace eqm::test
