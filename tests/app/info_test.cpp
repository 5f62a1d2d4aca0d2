// Descriptions of whatever a user may point at.
#include "eqm/app/info.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/tensorboard.h"
#include "tests/app/recording_host.h"
#include "tests/app/share_folder.h"
#include "tests/support/made_idx.h"
#include "tests/support/made_picture.h"
#include "tests/support/pickle_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

// Paths are relative to a folder of its own, as users give them.
class Info : public ::testing::Test {
 protected:
  void SetUp() override { fs::current_path(folder_.path()); }
  void TearDown() override { fs::current_path(before_); }

  // A line for each topic, with options in brackets.
  std::string info(const std::string& what) {
    const app::DescriptionStyle style = {
        .option = [](std::string_view key) { return fmt::format("[{}]", key); }};
    std::string text;
    for (const auto& [topic, line] : app::run({.path = what}, host_, style)) {
      text += fmt::format("{:<14} {}\n", topic, line);
    }
    return text;
  }

  void expect_lines(const std::string& what, const std::vector<std::string>& parts) {
    SCOPED_TRACE(what);
    const std::string text = info(what);
    for (const std::string& part : parts) {
      EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in\n" << text;
    }
  }

  void expect_refusal(const std::string& what, ErrorKind kind, const std::string& part) {
    SCOPED_TRACE(what);
    try {
      info(what);
      ADD_FAILURE() << "was not refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(error.hint(), "");
    }
  }

  fs::path before_ = fs::current_path();
  TemporaryFolder folder_;
  RecordingHost host_;
};

TEST_F(Info, pictures_tell_their_size_and_texts) {
  write_png(folder_ / "a.png", plain_image(7, 5, 3, 9), {{"Seed", "42"}, {"Model", "moons"}});
  expect_lines("a.png", {"picture", "PNG", "7 wide, 5 high, colour", "Seed", "42", "moons"});
  write_file(folder_ / "b.jpg", jpeg_of(plain_image(8, 16, 1, 9)));
  expect_lines("b.jpg", {"JPEG", "8 wide, 16 high, grey"});
  write_file(folder_ / "c.png", png_of(plain_image(8, 16, 1, 9)).substr(0, 40));
  expect_refusal("c.png", ErrorKind::input, "c.png");
}

TEST_F(Info, data_sets_tell_their_examples_and_classes) {
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
  expect_refusal("nothing", ErrorKind::input, "nothing");
}

TEST_F(Info, pictures_of_several_sizes_tell_their_range) {
  for (const char* place : {"set/cat", "set/dog"}) fs::create_directories(folder_ / place);
  write_png(folder_ / "set/cat/1.png", plain_image(7, 6, 3, 9));
  write_png(folder_ / "set/cat/2.png", plain_image(20, 6, 3, 9));
  write_png(folder_ / "set/dog/1.png", plain_image(5, 6, 3, 9));
  write_file(folder_ / "set/dog/2.png", "damaged");
  expect_lines("set", {"examples       4\n", "6 high, 5 to 20 wide, colour; `eqm train [size] N`",
                       "2: 'cat', 'dog'"});
  for (int i = 0; i < 70; ++i) {
    write_png(folder_ / "set/dog" / fs::path(std::to_string(100 + i) + ".png"),
              plain_image(8, 8 + i, 3, 9));
  }
  expect_lines("set", {"examples       74\n", "of 64 that were looked at"});
}

TEST_F(Info, arrays_tell_their_shapes) {
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

TEST_F(Info, weights_tell_their_tensors) {
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
  const ShareFolder share(EQM_SOURCE_FOLDER);
  expect_lines("fashion-xs4", {"model", "sit", "objective      eqm"});
}

TEST_F(Info, tables_and_lines_tell_their_columns) {
  write_file(folder_ / "p.csv", "x,y\n1,2\n3,-4.5\n");
  expect_lines("p.csv", {"table", "rows           2", "'x'", "from 1 to 3", "from -4.5 to 2"});
  write_file(folder_ / "t.csv", "image,source\n1,cat.png\n");
  expect_lines("t.csv", {"rows           1", "'image,source'"});
  write_file(folder_ / "m.jsonl", "{\"step\":1}\n{\"step\":2,\"loss\":0.5}\n");
  expect_lines("m.jsonl", {"lines          2", "'loss'", "'0.5'"});
}

TEST_F(Info, idx_files_without_their_other_half_tell_what_they_hold) {
  write_file(folder_ / "train-images-idx3-ubyte",
             idx_bytes(kIdxImages, {2, 3, 4}, std::string(24, 'p')));
  expect_lines("train-images-idx3-ubyte", {"images", "count          2\n", "3x4 pixels, grey",
                                           "labels", "train-labels-idx1-ubyte"});
  write_file(folder_ / "train-labels-idx1-ubyte", idx_bytes(kIdxLabels, {2}, "\x01\x02"));
  expect_lines("train-labels-idx1-ubyte", {"labels", "count          2\n"});
  expect_lines("train-images-idx3-ubyte", {"data set", "3: '0', '1', '2'"});
  write_file(folder_ / "cut", idx_bytes(kIdxImages, {2, 3, 4}, std::string(23, 'p')));
  expect_refusal("cut", ErrorKind::input, "holds 23 bytes behind its header, which announces 24");
}

TEST_F(Info, figures_and_events_tell_their_size) {
  write_file(folder_ / "f.svg",
             "<?xml version=\"1.0\"?>\n<svg xmlns=\"x\" width=\"64pt\" height=\"40pt\">\n</svg>\n");
  expect_lines("f.svg", {"figure", "SVG", "'64pt' wide, '40pt' high"});
  EventWriter events(folder_.path(), {.host = "here"});
  events.scalar("loss", 1, 0.5, 0);
  events.scalar("loss", 2, 0.25, 0);
  const std::string name = events.path().filename().string();
  expect_lines(name, {"events", "tensorboard --logdir ."});
  EXPECT_EQ(info(name).find("torn"), std::string::npos) << info(name);
  fs::resize_file(events.path(), fs::file_size(events.path()) - 1);
  expect_lines(name, {"and a torn one at the end"});
}

TEST_F(Info, options_tell_whose_they_are_and_what_they_set) {
  const ShareFolder share(EQM_SOURCE_FOLDER);
  write_file(folder_ / "my own.toml", "base = \"other.toml\"\n[training]\nsteps = 77\n");
  write_file(folder_ / "other.toml", "[training]\nsteps = 5\nbatch = 3\n");
  expect_lines("my own.toml", {"for            eqm train\n", "sets           [", "[steps] '77'",
                               "[batch] '3'", "eqm train [recipe] 'my own.toml'\n"});
  write_file(folder_ / "built.toml", "base = \"cifar10-s2\"\n");
  expect_lines("built.toml", {"eqm train", "[model] 'S/2'"});
  write_file(folder_ / "sweep.toml", "grid = \"limit=3\"\n");
  expect_lines("sweep.toml", {"for            eqm sweep\n", "eqm sweep [config] sweep.toml"});
  write_file(folder_ / "wrong.toml", "[training]\nstepps = 77\n");
  expect_refusal("wrong.toml", ErrorKind::input, "stepps");
}

TEST_F(Info, options_of_a_door_s_own_uses_are_known_where_it_has_them) {
  struct Own {
    std::string colour = "red";
    void declare(OptionSet& options) { options.text("colour", colour, "of the page"); }
  };
  write_file(folder_ / "own.toml", "colour = \"blue\"\n");
  const app::DescriptionStyle style = {.known_uses = {app::use_of<Own>("paint", "Paints")}};
  const Description lines = app::run({.path = "own.toml"}, host_, style);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1].second, "eqm paint");
  EXPECT_EQ(lines[2].second, "colour 'blue'");
  expect_refusal("own.toml", ErrorKind::input, "colour");
}

TEST_F(Info, needs_something_to_describe) {
  expect_refusal("", ErrorKind::usage, "nothing to describe");
  expect_refusal("absent.npz", ErrorKind::io, "absent.npz");
  expect_refusal("cifar10", ErrorKind::usage, "'cifar10'");
}

}  // namespace
}  // namespace eqm::test
