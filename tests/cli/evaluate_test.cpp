// eqm evaluate from outside: samples and references of every kind, statistics, and refusals.
#include <algorithm>
#include <cmath>

#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "tests/cli/tiny_models.h"
#include "tests/support/made_inception.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

// The words with more options, which replace those of the same name: none may be given twice.
Words merged(Words words, const Words& more) {
  for (size_t i = 0; i < more.size(); ++i) {
    const auto known = std::find(words.begin(), words.end(), more[i]);
    if (!more[i].starts_with("--") || known == words.end()) {
      words.push_back(more[i]);
    } else {
      *(known + 1) = more[++i];
    }
  }
  return words;
}

class EvaluateCli : public TinyModels {
 protected:
  static ProgramResult run(const Words& words,
                           std::chrono::seconds limit = std::chrono::seconds{60}) {
    return run_program(words, {.folder = shared_->path(), .limit = limit});
  }

  // By the judge, against the data.
  static ProgramResult evaluate(const Words& more, const std::string& samples = "40") {
    const Words words = {"evaluate", "--features",    "judge",     "--limit", "4",
                         "--out",    "evaluation",    "--threads", "1",       "--samples",
                         samples,    "--resamplings", "5"};
    return run(merged(words, more));
  }
  static Words with_data(Words words) {
    words.insert(words.end(), {"--reference", "data.safetensors"});
    return words;
  }

  static nlohmann::json first_set() { return json_in("evaluation/evaluation.json").at("sets")[0]; }

  static void expect_refusal(const ProgramResult& result, int code, const std::string& part) {
    EXPECT_EQ(result.exit_code, code) << result.errors;
    EXPECT_TRUE(contains(result.errors, part)) << result.errors;
    EXPECT_TRUE(contains(result.errors, "hint: ")) << result.errors;
  }

  // Statistics as pytorch-fid writes them: a mean of zeros and a covariance of `width` ones.
  static void write_foreign(const std::string& name, int64_t width) {
    NpzWriter writer(*shared_ / name, ZipMethod::stored);
    const std::vector<double> mean(static_cast<size_t>(width));
    std::vector<double> unit(static_cast<size_t>(width * width));
    for (size_t i = 0; i < unit.size(); i += static_cast<size_t>(width) + 1) unit[i] = 1;
    writer.begin("mu", Dtype::f64, {});
    writer.write(std::as_bytes(std::span(mean)));
    writer.end();
    writer.begin("sigma", Dtype::f64, {width});
    writer.write(std::as_bytes(std::span(unit)));
    writer.end();
    writer.commit();
  }
};

TEST_F(EvaluateCli, tells_of_samples_and_pictures) {
  const ProgramResult drawn = evaluate(with_data({"--model", "landscape", "--floor"}));
  ASSERT_EQ(drawn.exit_code, 0) << drawn.errors;
  EXPECT_TRUE(contains(drawn.errors, "no test part")) << drawn.errors;
  EXPECT_TRUE(contains(drawn.errors, "covariance is singular")) << drawn.errors;
  const nlohmann::json sets = json_in("evaluation/evaluation.json").at("sets");
  ASSERT_EQ(sets.size(), 2U) << "samples and noise";
  EXPECT_EQ(sets[0].at("count"), 40);
  EXPECT_LE(sets[0].at("frechet_range")[0], sets[0].at("frechet_range")[1]);
  EXPECT_TRUE(sets[0].contains("accuracy")) << "samples have labels";
  EXPECT_FALSE(sets[1].contains("accuracy")) << "noise has none";
  EXPECT_TRUE(fs::exists(*shared_ / "evaluation/evaluation.png"));

  // The data themselves are as good as can be.
  const ProgramResult same = evaluate(with_data({"--pictures", "data.safetensors"}), "64");
  ASSERT_EQ(same.exit_code, 0) << same.errors;
  EXPECT_NEAR(first_set().at("frechet_distance").get<double>(), 0, 1e-3);
  EXPECT_EQ(first_set().at("precision"), 1);
  EXPECT_EQ(first_set().at("coverage"), 1);
  EXPECT_TRUE(contains(same.errors, "comparing data.safetensors with data.safetensors\n"))
      << same.errors;

  EXPECT_EQ(evaluate(with_data({})).exit_code, 2);
  EXPECT_EQ(
      evaluate(with_data({"--model", "landscape", "--pictures", "data.safetensors"})).exit_code, 2);
  EXPECT_EQ(evaluate(with_data({"--pictures", "./nowhere"})).exit_code, 4);
  EXPECT_EQ(evaluate(with_data({"--pictures", "data.safetensors", "--neighbours", "90"})).exit_code,
            2);
}

TEST_F(EvaluateCli, takes_the_npz_of_sample_with_its_labels) {
  for (const char* method : {"stored", "deflated"}) {
    const ProgramResult drawn =
        run({"sample", "--model", "landscape", "--per-class", "10", "--limit", "4", "--npz",
             "samples.npz", "--npz-method", method, "--no-pictures", "--out", "samples"});
    ASSERT_EQ(drawn.exit_code, 0) << drawn.errors;
    const ProgramResult result = evaluate(with_data({"--pictures", "samples.npz"}));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_EQ(first_set().at("count"), 20);
    EXPECT_TRUE(first_set().contains("accuracy"));
  }
  fs::resize_file(*shared_ / "samples.npz", fs::file_size(*shared_ / "samples.npz") - 30);
  expect_refusal(evaluate(with_data({"--pictures", "samples.npz"})), 3, "samples.npz");
}

// The pictures and labels of an .npz in another order.
void reorder(const fs::path& from, const fs::path& to, const std::vector<size_t>& order) {
  const NpzFile file = NpzFile::open(from);
  NpzWriter writer(to, ZipMethod::stored);
  for (const char* name : {"arr_0", "arr_1"}) {
    const NpyArray array = file.read(name, 1 << 20);
    const size_t row = array.bytes.size() / static_cast<size_t>(array.shape[0]);
    writer.begin(name, array.dtype, {array.shape.begin() + 1, array.shape.end()});
    for (const size_t i : order) writer.write(std::span(array.bytes).subspan(i * row, row));
    writer.end();
  }
  writer.commit();
}

TEST_F(EvaluateCli, does_not_depend_on_the_order_of_the_pictures) {
  ASSERT_EQ(run({"sample", "--model", "landscape", "--count", "60", "--limit", "4", "--npz",
                 "in-turn.npz", "--no-pictures", "--out", "samples"})
                .exit_code,
            0);
  std::vector<size_t> sorted;  // by class
  for (size_t i = 0; i < 60; ++i) sorted.push_back(i < 30 ? 2 * i : 2 * (i - 30) + 1);
  reorder(*shared_ / "in-turn.npz", *shared_ / "sorted.npz", sorted);
  std::vector<nlohmann::json> figures;
  for (const char* name : {"in-turn.npz", "sorted.npz"}) {
    const ProgramResult result =
        evaluate(with_data({"--pictures", name, "--manifold-count", "20"}), "60");
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    figures.push_back(first_set());
  }
  for (const auto& [name, value] : figures[0].items()) {
    if (!value.is_number()) continue;
    // Convolutions of other batches may round differently.
    const double expected = value.get<double>(), found = figures[1].at(name).get<double>();
    EXPECT_NEAR(found, expected, 1e-4 * std::abs(expected) + 1e-6) << name;
  }
}

TEST_F(EvaluateCli, knows_the_classes_of_pictures_in_class_folders) {
  const Words draw = {"sample", "--model", "landscape", "--count", "20", "--limit", "4", "--out"};
  ASSERT_EQ(run(merged(draw, {"folders", "--class-folders", "--npz", "same.npz"})).exit_code, 0);
  for (const char* name : {"0/000000.png", "1/000001.png", "1/000019.png"}) {
    EXPECT_TRUE(fs::exists(*shared_ / "folders/pictures" / name)) << name;
  }
  std::vector<nlohmann::json> figures;
  for (const char* name : {"same.npz", "folders/pictures"}) {
    const ProgramResult result = evaluate(with_data({"--pictures", name}));
    ASSERT_EQ(result.exit_code, 0) << result.errors;
    figures.push_back(first_set());
    EXPECT_FALSE(contains(result.errors, "class accuracy")) << result.errors;
  }
  EXPECT_EQ(figures[1].at("count"), 20);
  EXPECT_EQ(figures[1].at("accuracy"), figures[0].at("accuracy"));

  fs::rename(*shared_ / "folders/pictures/0", *shared_ / "folders/pictures/dog");
  const ProgramResult strange = evaluate(with_data({"--pictures", "folders/pictures"}));
  EXPECT_EQ(strange.exit_code, 0) << strange.errors;
  EXPECT_TRUE(contains(strange.errors, "no class accuracy")) << strange.errors;
  EXPECT_FALSE(first_set().contains("accuracy"));
  expect_refusal(run(merged(draw, {"mixed", "--class-folders", "--mix", "0:1,1:1"})), 2,
                 "no classes to make folders for");
  EXPECT_FALSE(fs::exists(*shared_ / "mixed"));
}

TEST_F(EvaluateCli, compares_with_equally_many_real_pictures_or_with_none) {
  const fs::path set = *shared_ / "parts";
  for (const auto& [part, count] : {std::pair("train", 60), std::pair("test", 150)}) {
    for (int i = 0; i < count; ++i) {
      const fs::path folder = set / part / std::to_string(i % 2);
      fs::create_directories(folder);
      Image image = {.width = 8, .height = 8, .channels = 1, .pixels = {}};
      for (int k = 0; k < 64; ++k) {
        image.pixels.push_back(static_cast<uint8_t>(150 * (i % 2) + (i * 37 + k * 11) % 64));
      }
      write_png(folder / (std::to_string(i) + ".png"), image);
    }
  }
  const auto sweep = [](const std::string& samples) {
    return run({"sweep", "--model", "landscape", "--features", "judge", "--reference", "parts",
                "--samples", samples, "--threads", "1", "--grid", "limit=2,3", "--out",
                "sweep-" + samples});
  };
  const ProgramResult some = sweep("140"), many = sweep("160"), few = sweep("8");
  for (const ProgramResult* result : {&some, &many, &few}) {
    ASSERT_EQ(result->exit_code, 0) << result->errors;
  }
  EXPECT_TRUE(contains(some.output, "real data")) << some.output << some.errors;
  EXPECT_FALSE(contains(many.output, "real data")) << "150 pictures beside 160 samples";
  EXPECT_TRUE(contains(many.errors, "has 150 pictures")) << many.errors;
  EXPECT_FALSE(contains(few.output, "real data")) << "a singular covariance";
  EXPECT_TRUE(contains(few.errors, "singular covariance")) << few.errors;
}

TEST_F(EvaluateCli, sweeps_name_the_settings_that_make_no_difference) {
  const auto sweep = [](const std::string& grid, const Words& more) {
    Words words = {"sweep",       "--model",          "landscape", "--features", "judge",
                   "--reference", "data.safetensors", "--samples", "4",          "--threads",
                   "1",           "--grid",           grid,        "--out",      "idle"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run(words);
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    return result.errors;
  };
  const std::string limits = sweep("limit=60,120,250", {"--eta", "0", "--temperature", "0.3"});
  EXPECT_TRUE(contains(limits, "limit makes no difference at 3 of 3 points, such as limit 60"))
      << limits;
  EXPECT_TRUE(contains(limits, "does anything with --temperature")) << limits;
  const std::string some = sweep("rule=land,gd mu=0.1,0.2 limit=2,3", {});
  EXPECT_TRUE(contains(some, "mu makes no difference at 8 of 8 points")) << some;
  EXPECT_FALSE(contains(some, "limit makes")) << some;
  EXPECT_FALSE(contains(some, "rule makes")) << some;
  const std::string part = sweep("rule=land,gd limit=20,30", {"--mu", "0.35"});
  EXPECT_TRUE(contains(part, "limit makes no difference at 2 of 4 points, such as rule land"))
      << part;
  EXPECT_FALSE(contains(sweep("rule=nesterov,gd limit=2,3", {"--mu", "0.2"}), "ifference"));
}

TEST_F(EvaluateCli, saves_statistics_that_stand_for_the_reference) {
  const Words pictures = {"--pictures", "data.safetensors"};
  ASSERT_EQ(evaluate(with_data(pictures)).exit_code, 0);
  const double distance = first_set().at("frechet_distance");
  const ProgramResult saved = evaluate(with_data({"--save-statistics", "saved.npz"}));
  ASSERT_EQ(saved.exit_code, 0) << saved.errors;
  EXPECT_EQ(saved.output, "") << "nothing was evaluated";

  Words against = {"--pictures", "data.safetensors", "--reference", "saved.npz"};
  const ProgramResult by_file = evaluate(against);
  ASSERT_EQ(by_file.exit_code, 0) << by_file.errors;
  EXPECT_TRUE(contains(by_file.errors, "statistics only")) << by_file.errors;
  EXPECT_NEAR(first_set().at("frechet_distance").get<double>(), distance, 1e-6 * distance + 1e-9);
  EXPECT_FALSE(first_set().contains("precision"));
  EXPECT_EQ(json_in("evaluation/evaluation.json").at("reference_count"), 64);

  ASSERT_EQ(evaluate(with_data({"--save-statistics", "whole.npz", "--save-pictures"})).exit_code,
            0);
  against.back() = "whole.npz";
  const ProgramResult whole = evaluate(against);
  ASSERT_EQ(whole.exit_code, 0) << whole.errors;
  EXPECT_TRUE(first_set().contains("precision")) << "the file has the pictures, too";

  train({"--model", "convnet", "--objective", "classifier", "--width", "2", "--out", "other"});
  against.insert(against.end(), {"--features", "other"});
  expect_refusal(evaluate(against), 3, "statistics of the features of 'classifier");
  expect_refusal(evaluate({"--reference", "saved.npz", "--save-statistics", "again.npz"}), 2,
                 "no pictures to make statistics of");
  expect_refusal(evaluate(with_data({"--save-statistics", "saved.txt"})), 2, ".npz");
  EXPECT_EQ(evaluate(with_data({"--save-statistics", "no/such/place.npz"})).exit_code, 4);
  expect_refusal(evaluate(with_data({"--save-pictures", "--pictures", "data.safetensors"})), 2,
                 "no file to save pictures in");

  const ProgramResult sweep =
      run({"sweep", "--model", "landscape", "--features", "judge", "--reference", "saved.npz",
           "--samples", "8", "--threads", "1", "--grid", "limit=3", "--out", "sweep"});
  EXPECT_EQ(sweep.exit_code, 0) << sweep.errors;
}

TEST_F(EvaluateCli, takes_foreign_statistics_with_a_note_when_they_fit) {
  constexpr int64_t kFeatures = 128;
  write_foreign("foreign.npz", kFeatures);
  write_foreign("narrow.npz", 5);
  const ProgramResult result =
      evaluate({"--pictures", "data.safetensors", "--reference", "foreign.npz"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.errors, "does not say whose features")) << result.errors;
  expect_refusal(evaluate({"--pictures", "data.safetensors", "--reference", "narrow.npz"}), 3,
                 "5 features, and the network has 128");
  expect_refusal(evaluate(with_data({"--pictures", "foreign.npz"})), 3, "but no pictures");
}

TEST_F(EvaluateCli, is_done_while_training_when_asked) {
  const auto train_with = [&](const Words& more) {
    const Words words = {"train",      "--data",    "data.safetensors",
                         "--held-out", "0",         "--batch",
                         "16",         "--steps",   "4",
                         "--model",    "XS/4",      "--width",
                         "16",         "--depth",   "1",
                         "--heads",    "1",         "--sample-every",
                         "0",          "--threads", "1",
                         "--limit",    "3",         "--quality-samples",
                         "8",          "--out",     "measured"};
    return run(merged(words, more));
  };
  const ProgramResult result = train_with({"--quality-every", "2", "--features", "judge"});
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  std::ifstream file(*shared_ / "measured/metrics.jsonl");
  int measured = 0;
  for (std::string line; std::getline(file, line);) {
    if (!contains(line, "samples_distance")) continue;
    EXPECT_TRUE(contains(line, "samples_right")) << line;
    ++measured;
  }
  EXPECT_EQ(measured, 2);
  const Words twice = {"--quality-every", "2", "--out", "refused", "--features"};
  Words wrong = twice;
  wrong.emplace_back("landscape");
  expect_refusal(train_with(wrong), 3, "need a classifier");
  wrong.back() = "judge";
  wrong.insert(wrong.end(), {"--model", "convnet", "--objective", "classifier"});
  wrong.insert(wrong.end(), {"--width", "4", "--depth", "0", "--heads", "0"});
  expect_refusal(train_with(wrong), 2, "a classifier has no samples");
  EXPECT_FALSE(fs::exists(*shared_ / "refused/config.toml"));
}

// One picture takes Inception as long as all the others take the small judge: few of them.
TEST_F(EvaluateCli, tells_fid_and_sfid_by_inception) {
  write_made_inception(*shared_ / "inception.safetensors");
  const auto by_inception = [&](const Words& more) {
    const Words words = {"evaluate",
                         "--features",
                         "inception.safetensors",
                         "--pictures",
                         "data.safetensors",
                         "--samples",
                         "5",
                         "--reference-count",
                         "6",
                         "--resamplings",
                         "0",
                         "--out",
                         "evaluation",
                         "--threads",
                         "1"};
    return run(merged(words, more), std::chrono::seconds{280});
  };
  const ProgramResult result = by_inception(with_data({"--save-statistics", "adm.npz"}));
  ASSERT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_TRUE(contains(result.output, "sFID")) << result.output;
  EXPECT_TRUE(contains(result.errors, "no more than the 2048 features")) << result.errors;
  EXPECT_TRUE(first_set().contains("spatial_frechet_distance"));
  EXPECT_FALSE(first_set().contains("accuracy")) << "its classes are not those of the data";
  const std::string network = json_in("evaluation/evaluation.json").at("network");
  EXPECT_TRUE(network.starts_with("inception ") && network.ends_with(" adm")) << network;
  expect_refusal(by_inception({"--reference", "adm.npz", "--convention", "pytorch-fid"}), 3,
                 "pytorch-fid'");
  expect_refusal(by_inception(with_data({"--features", "data.safetensors"})), 3, "");
  std::ofstream(*shared_ / "text.pth") << "no weights";
  expect_refusal(by_inception(with_data({"--features", "text.pth"})), 3, "text.pth");
}

}  // namespace
}  // namespace eqm::test
