// What is refused leaves no trace: every verb that writes, asked for what it cannot do.
#include <fstream>
#include <set>

#include "eqm/io/atomic_file.h"
#include "tests/cli/tiny_models.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

struct Refusal {
  std::string verb;
  Words words;
  int exit_code;
};

class Refusals : public TinyModels {
 protected:
  static void SetUpTestSuite() {
    TinyModels::SetUpTestSuite();
    create_folder(*shared_ / "damaged");
    for (const char* name : {"a.png", "b.png"}) write_file(*shared_ / "damaged" / name, "no PNG");
    write_file(*shared_ / "bad.csv", "x,y\n1,2\n3,four\n");
    write_file(*shared_ / "file", "text");
    write_file(*shared_ / "bad.safetensors", "text");
    write_file(*shared_ / "bad.toml", "[training]\nstesp = 5\n");
  }

  // Every name below the folder of the tests.
  static std::set<std::string> names() {
    std::set<std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(shared_->path())) {
      all.insert(entry.path().string());
    }
    return all;
  }
};

const Words kTrain = {
    "--data", "data.safetensors", "--width", "16",      "--depth", "1",       "--heads",
    "1",      "--held-out",       "0",       "--steps", "2",       "--batch", "4"};

Words trained(const Words& more) {
  Words words = kTrain;
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Refusal> refusals() {
  return {
      {"train", {"--data", "nowhere"}, 2},
      {"train", {"--data", "damaged"}, 3},
      {"train", {"--recipe", "bad.toml"}, 3},
      {"train", {"--resume"}, 4},
      {"train", {"--no-such-option"}, 2},
      {"train", trained({"--accumulate", "3"}), 2},
      {"train", trained({"--objective", "eqm-l2"}), 2},
      {"train", trained({"--init", "nowhere"}), 2},
      {"train", trained({"--width", "65536", "--depth", "1024"}), 2},
      {"train", trained({"--quality-every", "1", "--features", "nowhere"}), 2},
      {"train", trained({"--held-out-data", "nowhere", "--held-out", "2"}), 2},
      {"sample", {"--model", "nowhere"}, 2},
      {"sample", {"--model", "bad.safetensors"}, 3},
      {"sample", {"--model", "judge"}, 3},
      {"sample", {"--model", "landscape", "--labels", "9"}, 2},
      {"sample", {"--model", "landscape", "--mix", "0:0"}, 2},
      {"sample", {"--model", "landscape", "--rule", "backtracking"}, 2},
      {"sample", {"--model", "landscape", "--npz", "samples"}, 2},
      {"sample", {"--model", "landscape", "--npz", "nowhere/samples.npz"}, 4},
      {"denoise", {"--model", "landscape", "--data", "nowhere"}, 2},
      {"denoise", {"--model", "landscape", "--data", "damaged"}, 3},
      {"denoise", {"--model", "landscape", "--data", "data.safetensors", "--label", "9"}, 2},
      {"denoise",
       {"--model", "landscape", "--data", "data.safetensors", "--rule", "backtracking"},
       2},
      {"score", {"--model", "nowhere", "--data", "data.safetensors"}, 2},
      {"score", {"--model", "landscape", "--data", "damaged"}, 3},
      {"score", {"--model", "landscape", "--data", "data.safetensors", "--against", "nowhere"}, 2},
      {"score", {"--model", "landscape", "--data", "data.safetensors", "--label", "9"}, 2},
      {"landscape", {"--data", "nowhere.csv"}, 4},
      {"landscape", {"--data", "bad.csv"}, 3},
      {"landscape", {"--rule", "backtracking"}, 2},
      {"encode", {"--data", "data.safetensors"}, 2},
      {"encode", {"--data", "data.safetensors", "--vae", "nowhere"}, 4},
      {"encode", {"--data", "data.safetensors", "--vae", "bad.safetensors"}, 3},
      {"evaluate", {}, 2},
      {"evaluate", {"--features", "judge", "--reference", "nowhere", "--model", "landscape"}, 2},
      {"evaluate",
       {"--features", "judge", "--reference", "data.safetensors", "--pictures", "nowhere"},
       2},
      {"evaluate",
       {"--features", "judge", "--reference", "data.safetensors", "--pictures", "damaged"},
       3},
      {"evaluate",
       {"--features", "nowhere", "--reference", "data.safetensors", "--model", "landscape"},
       2},
      {"evaluate",
       {"--features", "judge", "--reference", "damaged", "--save-statistics", "new.npz"},
       3},
      {"sweep", {"--model", "landscape", "--features", "judge", "--grid", "nothing"}, 2},
      {"sweep",
       {"--model", "landscape", "--features", "judge", "--reference", "nowhere", "--grid",
        "limit=2"},
       2},
      {"sweep",
       {"--model", "landscape", "--features", "judge", "--reference", "damaged", "--grid",
        "limit=2"},
       3},
      {"neighbours", {"--pictures", "nowhere", "--data", "data.safetensors"}, 2},
      {"neighbours", {"--pictures", "data.safetensors", "--data", "damaged"}, 3},
      {"import", {"nowhere"}, 4},
      {"import", {"bad.safetensors"}, 3},
      {"import", {"data.safetensors"}, 3},
      {"export", {"nowhere"}, 2},
      {"export", {"bad.safetensors"}, 3},
      {"bench", {"engine", "--model", "nowhere", "--json", "new.json"}, 2},
      {"bench", {"sweeps", "--only", "nothing of that name"}, 2},
      {"bench", {"steps", "--precision", "float64", "--json", "new.json"}, 2},
  };
}

TEST_F(Refusals, leave_nothing_behind) {
  for (const auto& [verb, words, exit_code] : refusals()) {
    const std::set<std::string> before = names();
    Words all = {verb};
    all.insert(all.end(), words.begin(), words.end());
    if (verb != "bench" || words[0] == "sweeps") {
      const bool file = verb == "import" || verb == "export";
      all.insert(all.end(), {"--out", file ? "new.safetensors" : "new/inner"});
    }
    std::string line;
    for (const std::string& word : all) line += word + " ";
    SCOPED_TRACE(line);
    const ProgramResult result = run_program(all, {.folder = shared_->path()});
    EXPECT_EQ(result.exit_code, exit_code) << result.errors;
    EXPECT_EQ(names(), before);
  }
}

// Folders that somebody made keep what they hold, and are not removed for being empty.
TEST_F(Refusals, leave_folders_of_others_alone) {
  create_folder(*shared_ / "mine");
  for (const Words& words : std::vector<Words>{{"train", "--data", "damaged"},
                                               {"denoise", "--model", "landscape", "--data",
                                                "data.safetensors", "--rule", "backtracking"}}) {
    Words all = words;
    all.insert(all.end(), {"--out", "mine"});
    EXPECT_NE(run_program(all, {.folder = shared_->path()}).exit_code, 0);
    EXPECT_TRUE(fs::is_directory(*shared_ / "mine")) << words[0];
    EXPECT_TRUE(fs::is_empty(*shared_ / "mine")) << words[0];
  }
}

}  // namespace
}  // namespace eqm::test
