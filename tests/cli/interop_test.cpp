// The program and other people's files: import, export, samples for an evaluator.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/atomic_file.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/npz.h"
#include "eqm/io/png.h"
#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/content_of.h"
#include "tests/support/golden_folder.h"
#include "tests/support/pickle_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

using namespace pickled;
using Words = std::vector<std::string>;

constexpr const char* kShippedModel = EQM_SOURCE_FOLDER "/models/fashion-xs4.safetensors";

std::vector<uint64_t> labels_in(const NpyArray& array) {
  std::vector<uint64_t> labels;
  for (size_t i = 0; i < array.bytes.size(); i += 8) {
    labels.push_back(little_endian(std::span(array.bytes).subspan(i, 8)));
  }
  return labels;
}

class InteropCli : public ::testing::Test {
 protected:
  ProgramResult run(const Words& arguments) {
    return run_program(arguments, {.folder = folder_.path()});
  }

  // One line that contains `part`, a hint, this exit code, and no other file than before.
  void expect_failure(const Words& arguments, int exit_code, const std::string& part) {
    SCOPED_TRACE(part);
    const ProgramResult result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(result.output, "");
    const Words lines = result.error_lines();
    ASSERT_EQ(lines.size(), 2u) << result.errors;
    EXPECT_TRUE(lines[0].starts_with("eqm: ")) << lines[0];
    EXPECT_TRUE(contains(lines[0], part)) << lines[0];
    EXPECT_TRUE(lines[1].starts_with("hint: ")) << lines[1];
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.npz"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "x.safetensors"));
  }

  void expect_refused(const std::string& file, const std::string& part) {
    write_file(folder_ / "bad.pt", file);
    expect_failure({"import", "bad.pt", "--out", "x.safetensors"}, 3, part);
  }

  nlohmann::json card_of(const std::string& name) const {
    const SafetensorsFile file = SafetensorsFile::open(folder_ / name);
    return nlohmann::json::parse(file.metadata().at("eqm"));
  }

  TemporaryFolder folder_;
};

TEST_F(InteropCli, refuses_a_model_whose_weights_are_not_numbers) {
  std::string file = content_of(kShippedModel);
  file.replace(file.size() - 2, 2, std::string("\x00\x7e", 2));  // the last weight, in float16
  write_file(folder_ / "bad.safetensors", file);
  const std::vector<Words> verbs = {
      {"sample"}, {"denoise", "--data", "constant"}, {"score", "--data", "constant"}};
  for (Words words : verbs) {
    words.insert(words.end(), {"--model", "bad.safetensors", "--out", "pictures"});
    expect_failure(words, 5, "is not finite");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "pictures"));
  }
  EXPECT_EQ(run({"info", "bad.safetensors"}).exit_code, 0);
}

TEST_F(InteropCli, imports_a_checkpoint_that_every_verb_takes) {
  int imported = 0;
  for (const auto& path : golden_files("eqm")) {
    const SafetensorsFile golden = SafetensorsFile::open(path);
    const auto kind = golden.metadata().find("case");
    if (kind == golden.metadata().end() || kind->second != "checkpoint") continue;
    const auto config = nlohmann::json::parse(golden.metadata().at("config"));
    const std::string first = nlohmann::json::parse(golden.metadata().at("files")).at(0);
    const ProgramResult result = run({"import", (path.parent_path() / first).string(), "--heads",
                                      config.at("num_heads").dump(), "--out", "model.safetensors"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(contains(result.output, "ema")) << result.output;
    const nlohmann::json card = card_of("model.safetensors");
    for (const auto& [key, value] : config.items()) {
      EXPECT_EQ(card.at("architecture").at(key), value) << key;
    }
    EXPECT_EQ(card.at("output_sign"), -1);
    EXPECT_EQ(run({"info", "model.safetensors"}).exit_code, 0);
    const ProgramResult sampled = run(
        {"sample", "model.safetensors", "--per-class", "1", "--limit", "2", "--out", "samples"});
    EXPECT_EQ(sampled.exit_code, 0) << sampled.errors;
    expect_failure({"sample", "model.safetensors", "--npz", "a.npz", "--out", "other"}, 2,
                   "an .npz holds pictures");
    ++imported;
  }
  EXPECT_GT(imported, 0);
}

TEST_F(InteropCli, import_takes_the_names_of_classes) {
  ASSERT_EQ(
      run({"export", kShippedModel, "--for", "reference", "--out", "named.safetensors"}).exit_code,
      0);
  const SafetensorsFile file = SafetensorsFile::open(folder_ / "named.safetensors");
  std::vector<NamedTensor> weights;
  for (const std::string& name : file.names()) weights.push_back({name, file.at(name)});
  write_safetensors(folder_ / "bare.safetensors", weights);
  const Words import = {"import", "bare.safetensors", "--heads", "4", "--out", "m.safetensors"};
  const auto with = [&](const std::string& names) {
    Words words = import;
    words.insert(words.end(), {"--class-names", names});
    return words;
  };
  write_file(folder_ / "names.txt", "top\r\ntrouser, long\n3\n4\n5\n6\n7\n8\n9\nankle boot\n\n");
  const ProgramResult listed = run(with("names.txt"));
  ASSERT_EQ(listed.exit_code, 0) << listed.errors;
  EXPECT_TRUE(contains(listed.output, "10, from top to ankle boot")) << listed.output;
  EXPECT_EQ(card_of("m.safetensors").at("class_names").at(1), "trouser, long");
  EXPECT_EQ(run({"sample", "m.safetensors", "--labels", "ankle boot", "--per-class", "1", "--limit",
                 "2", "--class-folders", "--out", "out"})
                .exit_code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/pictures/ankle boot/000000.png"));
  ASSERT_EQ(run(with("a, b,c,d,e,f,g,h,i,j")).exit_code, 0);
  EXPECT_EQ(card_of("m.safetensors").at("class_names").at(1), "b");

  std::filesystem::remove(folder_ / "m.safetensors");
  expect_failure(with("a,b"), 2, "2 class names were given, and the weights are of 10 classes");
  expect_failure(with("a,b,,d,e,f,g,h,i,j"), 2, "is not a list of class names");
  expect_failure(with("none.txt"), 4, "cannot open 'none.txt'");
  write_file(folder_ / "empty.txt", "\n\n");
  expect_failure(with("empty.txt"), 3, "is not a list of class names");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.safetensors"));
}

TEST_F(InteropCli, import_asks_for_what_it_cannot_know) {
  expect_failure({"import", "--out", "x.safetensors"}, 2, "no file was given");
  write_file(folder_ / "a.pt", torch_zip(dict({{"w", vector_of("0", 1)}}), {{"0", "aaaa"}}));
  expect_failure({"import", "a.pt"}, 2, "no file to write was given");
  expect_failure({"import", "none.pt", "--out", "x.safetensors"}, 4, "cannot open 'none.pt'");
  expect_failure({"import", "a.pt", "--out", "none/x.safetensors", "--weights", "ema"}, 3,
                 "no 'ema' weights");
}

TEST_F(InteropCli, nothing_is_written_over_what_is_read) {
  ASSERT_EQ(run({"export", "fashion-classifier", "--out", "m.pt"}).exit_code, 0);
  const std::string before = content_of(folder_ / "m.pt");
  expect_failure({"import", "m.pt", "--out", "m.pt"}, 2, "safetensors under another name");
  expect_failure({"import", "m.pt", "--out", "m.npz"}, 2, "safetensors under another name");
  EXPECT_EQ(content_of(folder_ / "m.pt"), before);
  ASSERT_EQ(run({"import", "m.pt", "--out", "m.safetensors"}).exit_code, 0);
  const std::string model = content_of(folder_ / "m.safetensors");
  expect_failure({"import", "m.safetensors", "--out", "./m.safetensors"}, 2,
                 "'m.safetensors' would be overwritten");
  expect_failure({"export", "m.safetensors", "--stored", "float16", "--out", "m.safetensors"}, 2,
                 "would be overwritten");
  EXPECT_EQ(content_of(folder_ / "m.safetensors"), model);
}

TEST_F(InteropCli, import_refuses_hostile_files) {
  expect_refused("", "neither a PyTorch checkpoint nor safetensors");
  expect_refused(torch_zip(call(global("os", "system"), {text("touch owned")}), {}),
                 "an object of 'os.system' instead of a dictionary");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "owned"));
  expect_refused(torch_zip(dict({{"a\n\x1b[31m", vector_of("0", 1)}}), {{"0", "aaaa"}}),
                 "'x_embedder.proj.weight' is missing");
  expect_refused(torch_zip(dict({{"a", vector_of("0", 2)}}), {{"0", "aaaa"}}),
                 "has 4 bytes where 2");
  expect_refused(made_zip({{.name = "x/data.pkl", .content = pickle("N"), .checksum = 1}}),
                 "checksum");
  expect_refused(
      made_zip({{.name = "x/data.pkl", .content = std::string(100 << 20, 'N'), .packed = true}}),
      "at most 67108864 are read");
}

TEST_F(InteropCli, samples_go_to_an_npz) {
  for (const std::string method : {"stored", "deflated"}) {
    const ProgramResult result =
        run({"sample", kShippedModel, "--labels", "3,8", "--per-class", "2", "--limit", "2",
             "--npz", "samples.npz", "--npz-method", method, "--out", "out"});
    EXPECT_EQ(result.exit_code, 0) << result.errors;
    EXPECT_TRUE(contains(result.errors, "wrote 4 samples to samples.npz")) << result.errors;
    const NpzFile file = NpzFile::open(folder_ / "samples.npz");
    const NpyArray pictures = file.read("arr_0", 1 << 20), labels = file.read("arr_1", 1 << 20);
    EXPECT_EQ(pictures.dtype, Dtype::u8);
    EXPECT_EQ(pictures.shape, (std::vector<int64_t>{4, 28, 28, 3}));
    for (size_t i = 0; i < pictures.bytes.size(); i += 3) {  // grey is shown in three colours
      ASSERT_EQ(pictures.bytes[i], pictures.bytes[i + 1]);
      ASSERT_EQ(pictures.bytes[i], pictures.bytes[i + 2]);
    }
    EXPECT_EQ(labels.shape, std::vector<int64_t>{4});
    EXPECT_EQ(labels_in(labels), (std::vector<uint64_t>{3, 8, 3, 8}));
  }
  // More than a grid can show, of a number that no class divides.
  const ProgramResult many =
      run({"sample", kShippedModel, "--labels", "0,1,2", "--count", "2000", "--rule", "gd",
           "--limit", "0", "--no-pictures", "--npz", "many.npz", "--out", "out"});
  EXPECT_EQ(many.exit_code, 0) << many.errors;
  const auto asked = labels_in(NpzFile::open(folder_ / "many.npz").read("arr_1", 1 << 20));
  ASSERT_EQ(asked.size(), 2000U);
  for (size_t i = 0; i < asked.size(); ++i) ASSERT_EQ(asked[i], i % 3) << "in turn";
  EXPECT_EQ(run({"sample", kShippedModel, "--npz", kShippedModel, "--out", "out"}).exit_code, 2)
      << "models are no place for samples";
  const ProgramResult lost = run({"sample", kShippedModel, "--labels", "1", "--count", "1",
                                  "--limit", "3", "--eta", "1e30", "--out", "lost"});
  EXPECT_EQ(lost.exit_code, 5) << lost.errors;
  const ProgramResult mixed = run({"sample", kShippedModel, "--mix", "3:1,8:1", "--per-class", "1",
                                   "--limit", "2", "--npz", "mix.npz", "--out", "out"});
  EXPECT_EQ(mixed.exit_code, 0) << mixed.errors;
  EXPECT_EQ(NpzFile::open(folder_ / "mix.npz").names(), Words{"arr_0"});
}

// Where a picture stands in a grid that repeats its pixels `scale` times.
struct Found {
  int x = -1, y = -1;
};
Found find_picture(const Image& grid, const Image& picture) {
  const auto at = [](const Image& image, int x, int y) {
    return image
        .pixels[static_cast<size_t>(y * image.width + x) * static_cast<size_t>(image.channels)];
  };
  for (int scale = 1; scale <= 16; ++scale) {
    const auto stands_at = [&](int left, int top) {
      for (int i = 0; i < picture.width * picture.height; ++i) {
        const int x = i % picture.width, y = i / picture.width;
        if (at(grid, left + scale * x, top + scale * y) != at(picture, x, y)) return false;
      }
      return true;
    };
    for (int y = 0; y + scale * picture.height <= grid.height; ++y) {
      for (int x = 0; x + scale * picture.width <= grid.width; ++x) {
        if (stands_at(x, y)) return {x, y};
      }
    }
  }
  return {};
}

TEST_F(InteropCli, samples_in_turn_are_shown_in_a_row_for_each_class) {
  ASSERT_EQ(run({"sample", kShippedModel, "--labels", "3,8", "--count", "5", "--limit", "2",
                 "--out", "out"})
                .exit_code,
            0);
  const Image grid = read_png(folder_ / "out/grid.png");
  std::vector<Found> places;
  for (int i = 0; i < 5; ++i) {
    const Image picture = read_png(folder_ / ("out/pictures/00000" + std::to_string(i) + ".png"));
    places.push_back(find_picture(grid, picture));
    ASSERT_GE(places.back().x, 0) << i;
  }
  EXPECT_EQ(places[0].y, places[2].y);
  EXPECT_EQ(places[0].y, places[4].y);
  EXPECT_EQ(places[1].y, places[3].y);
  EXPECT_LT(places[0].y, places[1].y);
  EXPECT_LT(places[0].x, places[2].x);
  EXPECT_LT(places[2].x, places[4].x);
  EXPECT_EQ(places[0].x, places[1].x);
}

TEST_F(InteropCli, exports_for_the_reference) {
  const ProgramResult result =
      run({"export", kShippedModel, "--for", "reference", "--out", "torch.safetensors"});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  EXPECT_EQ(card_of("torch.safetensors").at("output_sign"), -1);
  const auto sample = [&](const std::string& model, const std::string& npz) {
    EXPECT_EQ(run({"sample", model, "--labels", "1", "--per-class", "1", "--limit", "3", "--npz",
                   npz, "--out", "out"})
                  .exit_code,
              0);
    return NpzFile::open(folder_ / npz).read("arr_0", 1 << 20).bytes;
  };
  EXPECT_EQ(sample("torch.safetensors", "a.npz"), sample(kShippedModel, "b.npz"));
}

TEST_F(InteropCli, exports_for_pytorch_and_imports_the_same_again) {
  const ProgramResult exported =
      run({"export", kShippedModel, "--stored", "float16", "--out", "x.pt"});
  EXPECT_EQ(exported.exit_code, 0) << exported.errors;
  EXPECT_TRUE(content_of(folder_ / "x.pt").starts_with("PK"));
  const ProgramResult imported = run({"import", "x.pt", "--out", "again.safetensors"});
  EXPECT_EQ(imported.exit_code, 0) << imported.errors;
  EXPECT_TRUE(contains(imported.output, "objective      eqm\n")) << imported.output;
  const SafetensorsFile before = SafetensorsFile::open(kShippedModel);
  const SafetensorsFile after = SafetensorsFile::open(folder_ / "again.safetensors");
  EXPECT_EQ(nlohmann::json::parse(after.metadata().at("eqm")),
            nlohmann::json::parse(before.metadata().at("eqm")));
  ASSERT_EQ(after.names(), before.names());
  for (const std::string& name : after.names()) {
    EXPECT_EQ(after.at(name).shape, before.at(name).shape) << name;
    EXPECT_TRUE(std::ranges::equal(after.at(name).bytes, before.at(name).bytes)) << name;
  }
  // A file of PyTorch is no model itself, and says how it becomes one.
  const ProgramResult sampled = run({"sample", "--model", "x.pt", "--out", "out"});
  EXPECT_EQ(sampled.exit_code, 3) << sampled.errors;
  EXPECT_TRUE(contains(sampled.errors, "import a checkpoint")) << sampled.errors;
}

TEST_F(InteropCli, import_refuses_what_contradicts_a_file_of_its_own) {
  ASSERT_EQ(run({"export", kShippedModel, "--stored", "float16", "--out", "x.pt"}).exit_code, 0);
  const auto import_with = [](const std::string& option, const std::string& value) {
    return Words{"import", "x.pt", "--" + option, value, "--out", "again.safetensors"};
  };
  expect_failure(import_with("objective", "fm"), 2,
                 "--objective is fm, and the file itself says eqm");
  expect_failure(import_with("sign", "reference"), 2,
                 "--sign is reference, and the file itself says eqm");
  expect_failure(import_with("heads", "7"), 2, "--heads is 7, and the file itself says 3");
  expect_failure(import_with("head-channels", "3"), 2, "the file itself says nothing of it");
  expect_failure(import_with("size", "64"), 2, "--size is 64, and the file itself says 28");
  expect_failure(import_with("classes", "9"), 2, "--classes is 9, and the file itself says 10");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "again.safetensors"));
  for (const auto& [option, value] : {std::pair<std::string, std::string>("objective", "eqm"),
                                      {"sign", "eqm"},
                                      {"heads", "3"},
                                      {"size", "28"},
                                      {"classes", "10"}}) {
    const ProgramResult result = run(import_with(option, value));
    EXPECT_EQ(result.exit_code, 0) << result.errors;
  }
}

TEST_F(InteropCli, export_goes_by_the_ending) {
  for (const char* out : {"model", "model.ckpt", "model.safetensor"}) {
    const ProgramResult result = run({"export", kShippedModel, "--out", out});
    EXPECT_EQ(result.exit_code, 2) << result.errors;
    EXPECT_TRUE(contains(result.errors, ".safetensors, or with .pt")) << result.errors;
    EXPECT_FALSE(std::filesystem::exists(folder_ / out));
  }
}

}  // namespace
}  // namespace eqm::test
