// Scores and neighbours from outside: tables, files and refusals, with a model of seconds.
#include <algorithm>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Lines = std::vector<std::string>;

constexpr int64_t kExamples = 96;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Lines lines_in(const fs::path& path) {
  return lines_of(content_of(path));
}

Words split_words(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// How often a score of the second lines is larger than one of the first.
double share_of_larger(const Lines& first, const Lines& second) {
  const auto score = [](const std::string& line) {
    return std::stod(line.substr(line.rfind(',') + 1));
  };
  double larger = 0;
  for (const std::string& a : first) {
    for (const std::string& b : second) larger += score(b) > score(a) ? 1 : 0;
  }
  return larger / static_cast<double>(first.size() * second.size());
}

// The pixels of example i: dark ones and bright ones in turn.
std::vector<uint8_t> pixels_of(int64_t i) {
  std::mt19937 noise(static_cast<uint32_t>(i));
  std::vector<uint8_t> pixels;
  for (int k = 0; k < 64; ++k) {
    pixels.push_back(static_cast<uint8_t>(160 * (i % 2) + static_cast<int>(noise() % 64)));
  }
  return pixels;
}

template <class Number>
void write_set(const fs::path& path, Dtype dtype, const std::vector<int64_t>& shape,
               const std::vector<Number>& values) {
  write_safetensors(path, {{"images", {dtype, shape, std::as_bytes(std::span(values))}}});
}

class ScoreCli : public ::testing::Test {
 protected:
  // One data set of two classes for all tests.
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TemporaryFolder>();
    std::vector<uint8_t> pixels;
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < kExamples; ++i) {
      labels.push_back(i % 2);
      for (const uint8_t pixel : pixels_of(i)) pixels.push_back(pixel);
    }
    write_safetensors(
        *shared_ / "data.safetensors",
        {{"images", {Dtype::u8, {kExamples, 1, 8, 8}, std::as_bytes(std::span(pixels))}},
         {"labels", {Dtype::i64, {kExamples}, std::as_bytes(std::span(labels))}}});
  }
  static void TearDownTestSuite() { shared_.reset(); }

  // Trained when it is first asked for.
  static std::string model(const std::string& objective) {
    if (fs::exists(*shared_ / objective)) return at(objective);
    const ProgramResult result = run_program({"train",
                                              "--data",
                                              "data.safetensors",
                                              "--objective",
                                              objective,
                                              "--model",
                                              "XS/4",
                                              "--width",
                                              "16",
                                              "--depth",
                                              "1",
                                              "--heads",
                                              "1",
                                              "--batch",
                                              "16",
                                              "--threads",
                                              "1",
                                              "--lr",
                                              "0.003",
                                              "--held-out",
                                              "0",
                                              "--sample-every",
                                              "0",
                                              "--ema",
                                              "0.9",
                                              "--steps",
                                              "60",
                                              "--out",
                                              objective},
                                             {.folder = shared_->path()});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return at(objective);
  }

  static std::string at(const std::string& name) { return (*shared_ / name).string(); }

  static Words score(const Words& more) {
    Words words = {"score",     "--model", model("eqm"), "--data", at("data.safetensors"),
                   "--threads", "1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  static Words neighbours(const std::string& pictures, const Words& more) {
    Words words = {"neighbours", "--pictures", pictures, "--data", at("data.safetensors")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  ProgramResult run(const Words& arguments) const {
    return run_program(arguments, {.folder = folder_.path()});
  }

  void expect_failure(const Words& arguments, int exit_code, const std::string& part,
                      const std::string& hint = "") const {
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    Lines lines = result.error_lines();
    std::erase_if(lines, [](const auto& line) { return line.starts_with("eqm: warning: "); });
    ASSERT_GE(lines.size(), 1U);
    EXPECT_TRUE(contains(lines[0], part)) << result.errors;
    if (hint.empty()) return;
    ASSERT_EQ(lines.size(), 2U) << result.errors;
    EXPECT_TRUE(contains(lines[1], hint)) << result.errors;
  }

  // A folder of pictures: copies of examples.
  std::string write_copies(const std::string& name, const std::vector<int64_t>& examples) const {
    fs::create_directories(folder_ / name);
    for (size_t i = 0; i < examples.size(); ++i) {
      write_png(folder_ / name / ("00" + std::to_string(i) + ".png"),
                {.width = 8, .height = 8, .channels = 1, .pixels = pixels_of(examples[i])});
    }
    return name;
  }

  std::string write_colours(const std::string& name) const {
    fs::create_directories(folder_ / name);
    for (int i = 0; i < 3; ++i) {
      Image image = {.width = 20, .height = 13, .channels = 3, .pixels = {}};
      for (int k = 0; k < 20 * 13 * 3; ++k) image.pixels.push_back(static_cast<uint8_t>(k * i));
      write_png(folder_ / name / (std::to_string(i) + ".png"), image);
    }
    return name;
  }

  static std::unique_ptr<TemporaryFolder> shared_;
  TemporaryFolder folder_;
};

std::unique_ptr<TemporaryFolder> ScoreCli::shared_;

TEST_F(ScoreCli, compares_sets_in_a_table_and_writes_every_score) {
  const ProgramResult result = run(score({"--against", at("data.safetensors") + ", constant,noise",
                                          "--count", "40", "--out", "scores"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Lines table = lines_of(result.output);
  ASSERT_EQ(table.size(), 6U) << result.output;
  EXPECT_EQ(split_words(table[0]),
            (Words{"set", "count", "mean", "median", "AUROC", "[90", "%]", "AUPR", "FPR95"}));
  EXPECT_EQ(split_words(table[1]).back(), "-");
  EXPECT_EQ(split_words(table[2])[4], "0.5000") << "a set against itself";
  EXPECT_EQ(split_words(table[3]).front(), "constant");
  EXPECT_EQ(split_words(table[4]).front(), "noise");
  EXPECT_EQ(split_words(table[4])[1], "40");

  const Lines scores = lines_in(folder_ / "scores" / "scores.csv");
  ASSERT_EQ(scores.size(), 161U);
  EXPECT_EQ(scores[0], "set,index,score");
  EXPECT_TRUE(scores[160].starts_with("noise,39,")) << scores[160];
  EXPECT_EQ(split_words(table[5]).front(), "average");
  EXPECT_TRUE(fs::exists(folder_ / "scores" / "scores.json"));
  EXPECT_NEAR(std::stod(split_words(table[4])[4]),
              share_of_larger({scores.begin() + 1, scores.begin() + 41},
                              {scores.begin() + 121, scores.end()}),
              5.1e-5);
  EXPECT_EQ(read_png(folder_ / "scores" / "histogram.png").width, 1440);
  EXPECT_TRUE(contains(lines_in(folder_ / "scores" / "histogram.svg")[0], "<?xml"));
}

TEST_F(ScoreCli, repeats_itself_whatever_the_batch) {
  const auto scores = [&](const std::string& batch) {
    const ProgramResult result = run(score({"--batch", batch, "--precision", "float64"}));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.output;
  };
  EXPECT_EQ(scores("7"), scores("64"));
}

TEST_F(ScoreCli, scores_under_a_class) {
  const ProgramResult none = run(score({})), one = run(score({"--label", "1"}));
  for (const ProgramResult& result : {none, one}) {
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(lines_of(result.output).size(), 5U) << "constant and noise by default, average";
  }
  EXPECT_NE(lines_of(none.output)[1], lines_of(one.output)[1]);
  EXPECT_NE(lines_of(none.output)[3], lines_of(one.output)[3]);
}

TEST_F(ScoreCli, takes_energies_and_images_of_other_sizes) {
  const ProgramResult result = run({"score", model("eqm-dot"), "--data", at("data.safetensors"),
                                    "--against", write_colours("colours"), "--out", "energies"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(split_words(lines_of(result.output)[2])[1], "3");
  EXPECT_EQ(lines_in(folder_ / "energies" / "scores.csv").size(), 1U + kExamples + 3U);
}

TEST_F(ScoreCli, says_what_is_wrong_before_any_work) {
  fs::create_directories(folder_ / "empty");
  std::ofstream(folder_ / "file") << "not a folder";
  write_set<float>(folder_ / "states.safetensors", Dtype::f32, {2, 1, 8, 8},
                   std::vector<float>(128, 0.5F));
  write_set<uint8_t>(folder_ / "two.safetensors", Dtype::u8, {2, 2, 8, 8},
                     std::vector<uint8_t>(256, 5));
  expect_failure({"score"}, 2, "no data", "--data");
  expect_failure({"score", model("eqm")}, 2, "no data", "--data");
  expect_failure({"score", "gone.safetensors", "--data", "noise"}, 4, "gone.safetensors");
  expect_failure({"score", model("fm"), "--data", "noise"}, 2, "no score", "eqm-dot");
  expect_failure(score({"--against", "nothing-here"}), 2, "nothing-here", "fashion-mnist");
  expect_failure(score({"--against", "./nothing"}), 4, "nothing");
  expect_failure(score({"--against", "empty"}), 3, "empty", "");
  expect_failure(score({"--against", "states.safetensors"}), 3, "F32 [1, 8, 8]", "images");
  expect_failure(score({"--against", "two.safetensors"}), 3, "two.safetensors", "[channels");
  expect_failure(score({"--count", "0"}), 2, "count", "");
  expect_failure(score({"--by", "energy"}), 2, "no explicit energy", "--by norm");
  expect_failure(score({"--by", "entropy"}), 2, "entropy", "");
  expect_failure(score({"--jpeg", "101"}), 2, "jpeg", "");
  expect_failure(score({"--label", "7"}), 2, "no class '7'", "");
  expect_failure(score({"--out", "file/below"}), 4, "file/below", "");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

// A flow integrates as from pure noise, whatever the image is.
TEST_F(ScoreCli, denoise_warns_of_models_that_take_images_for_noise) {
  const ProgramResult result = run({"denoise", "--model", model("fm"), "--data",
                                    at("data.safetensors"), "--count", "2", "--limit", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.errors, "a model of fm takes whatever it starts from"))
      << result.errors;
}

TEST_F(ScoreCli, neighbours_of_copies_are_their_originals) {
  const ProgramResult result =
      run(neighbours(write_copies("copies", {17, 42, 95}), {"--k", "4", "--out", "near"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  const Lines table = lines_of(result.output);
  ASSERT_EQ(table.size(), 5U) << result.output;
  EXPECT_EQ(split_words(table[1]), (Words{"000.png", "0.00000", "17", "1"}));
  EXPECT_EQ(split_words(table[3]), (Words{"002.png", "0.00000", "95", "1"}));
  EXPECT_EQ(split_words(table[4]), (Words{"mean", "0.00000"}));

  const Lines records = lines_in(folder_ / "near" / "neighbours.csv");
  ASSERT_EQ(records.size(), 13U);
  EXPECT_EQ(records[0], "sample,rank,index,name,class,distance");
  EXPECT_TRUE(records[5].starts_with("copies/001.png,1,42,")) << records[5];
  EXPECT_TRUE(records[5].ends_with(",0,0")) << records[5];
  EXPECT_FALSE(records[6].ends_with(",0")) << records[6];
  // Dark pictures are nearer to dark ones.
  for (size_t i = 5; i < 9; ++i) EXPECT_TRUE(contains(records[i], ",0,")) << records[i];
  const Image figure = read_png(folder_ / "near" / "neighbours.png");
  EXPECT_GT(figure.width, 5 * 72);
  EXPECT_GT(figure.height, 3 * 72);
}

TEST_F(ScoreCli, neighbours_are_shown_of_some_pictures_and_as_many_as_there_are) {
  const std::string copies = write_copies("copies", {1, 2, 3, 4, 5, 6});
  const ProgramResult few = run(neighbours(copies, {"--count", "2", "--out", "few"}));
  ASSERT_EQ(few.exit_code, 0) << few.errors;
  EXPECT_EQ(lines_in(folder_ / "few" / "neighbours.csv").size(), 1U + 2 * 5);
  const ProgramResult small =
      run({"neighbours", at("data.safetensors"), "--data", copies, "--k", "50", "--out", "small"});
  ASSERT_EQ(small.exit_code, 0) << small.errors;
  EXPECT_EQ(lines_in(folder_ / "small" / "neighbours.csv").size(), 1U + 16 * 6);
}

// Samples take labels in turn, so that a fixed stride could show a single class.
TEST_F(ScoreCli, neighbours_are_shown_of_pictures_chosen_by_chance) {
  std::vector<int64_t> all(80);
  std::iota(all.begin(), all.end(), 0);
  const ProgramResult some =
      run(neighbours(write_copies("copies", all), {"--count", "40", "--k", "1", "--out", "some"}));
  ASSERT_EQ(some.exit_code, 0) << some.errors;
  const Lines lines = lines_in(folder_ / "some" / "neighbours.csv");
  ASSERT_EQ(lines.size(), 41U);
  const auto odd = std::count_if(lines.begin() + 1, lines.end(), [](const std::string& line) {
    return (line[line.find(".png") - 1] - '0') % 2 == 1;
  });
  EXPECT_GT(odd, 5) << "about half";
  EXPECT_LT(odd, 35);
}

TEST_F(ScoreCli, neighbours_are_sought_among_images_like_the_pictures) {
  const std::string colours = write_colours("colours");
  const ProgramResult result = run(neighbours(colours, {"--size", "16", "--out", "near"}));
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  expect_failure(neighbours(colours, {"--out", "near"}), 3, "[3, 13, 20]", "--size");
}

TEST_F(ScoreCli, neighbours_say_what_is_wrong_before_any_work) {
  fs::create_directories(folder_ / "empty");
  std::ofstream(folder_ / "file") << "not a folder";
  write_set<float>(folder_ / "states.safetensors", Dtype::f32, {2, 1, 8, 8},
                   std::vector<float>(128, 0.5F));
  const std::string copies = write_copies("copies", {1});
  expect_failure({"neighbours"}, 2, "no pictures", "--pictures");
  expect_failure({"neighbours", copies}, 2, "no data", "--data");
  expect_failure(neighbours("empty", {}), 3, "empty", "");
  expect_failure(neighbours("./gone", {}), 4, "gone", "");
  expect_failure(neighbours("states.safetensors", {}), 3, "not pictures", "PNG");
  expect_failure({"neighbours", copies, "--data", "states.safetensors"}, 3, "F32", "images");
  expect_failure({"neighbours", copies, "--data", "fashion-mnits"}, 2, "fashion-mnits",
                 "fashion-mnist");
  expect_failure(neighbours(copies, {"--k", "0"}), 2, "k", "");
  expect_failure(neighbours(copies, {"--out", "file/below"}), 4, "file/below", "");
  EXPECT_FALSE(fs::exists(folder_ / "out"));
}

}  // namespace
}  // namespace eqm::test
