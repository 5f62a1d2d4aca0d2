// Models of seconds for tests of verbs that measure quality: two classes of 8x8 pictures, dark and
// bright, a landscape and a judge of them, in one folder for all tests of a suite.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/io/safetensors.h"
#include "tests/cli/run_program.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {

using Words = std::vector<std::string>;

class TinyModels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = std::make_unique<TemporaryFolder>();
    constexpr int64_t kExamples = 64;
    std::vector<uint8_t> pixels;
    std::vector<int64_t> labels;
    for (int64_t i = 0; i < kExamples; ++i) {
      labels.push_back(i % 2);
      for (int64_t k = 0; k < 64; ++k) {
        pixels.push_back(static_cast<uint8_t>(150 * (i % 2) + (i * 37 + k * 11) % 64));
      }
    }
    write_safetensors(
        *shared_ / "data.safetensors",
        {{"images", {Dtype::u8, {kExamples, 1, 8, 8}, std::as_bytes(std::span(pixels))}},
         {"labels", {Dtype::i64, {kExamples}, std::as_bytes(std::span(labels))}}});
    train({"--model", "XS/4", "--width", "16", "--depth", "1", "--heads", "1", "--sample-every",
           "0", "--out", "landscape"});
    train({"--model", "convnet", "--objective", "classifier", "--width", "4", "--out", "judge"});
  }
  static void TearDownTestSuite() { shared_.reset(); }

  static void train(const Words& more) {
    Words words = {
        "train", "--data", "data.safetensors", "--held-out", "0",     "--batch", "16",
        "--lr",  "0.003",  "--steps",          "40",         "--ema", "0.9",     "--threads",
        "1"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words, {.folder = shared_->path()});
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }

  static nlohmann::json json_in(const std::string& name) {
    std::ifstream file(*shared_ / name);
    return nlohmann::json::parse(file);
  }

  static inline std::unique_ptr<TemporaryFolder> shared_;
};

}  // namespace eqm::test
