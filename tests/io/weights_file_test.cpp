#include "eqm/io/weights_file.h"

#include <string>

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/byte_cursor.h"
#include "tests/io/safetensors_builder.h"
#include "tests/support/expect_error.h"
#include "tests/support/pickle_builder.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

using namespace test::pickled;
using test::bytes_of;
using test::expect_input_error;
using Names = std::vector<std::string>;

const std::map<std::string, std::string> kStorages = {{"0", "aaaabbbb"}, {"1", "ccccdddd"}};

WeightsFile parse(std::string_view file, WeightsChoice choice = WeightsChoice::automatic) {
  return WeightsFile::parse(bytes_of(file), "made.pt", choice);
}

Names names_of(const WeightsFile& file) {
  Names names;
  for (const NamedWeights& item : file.tensors()) names.push_back(item.name);
  return names;
}

std::string training_file() {
  const std::string arguments = call(global("argparse", "Namespace"), {}) +
                                dict({{"ebm", text("none")},
                                      {"uncond", truth(true)},
                                      {"num_classes", number(3)},
                                      {"ckpt", none()},
                                      {"betas", list({})}}) +
                                "b";
  return torch_zip(dict({{"model", dict({{"w", vector_of("0", 2)}})},
                         {"ema", dict({{"w", vector_of("1", 2)}})},
                         {"opt", dict({{"state", dict({})}})},
                         {"args", arguments}}),
                   kStorages);
}

TEST(WeightsFile, takes_the_average_unless_told_otherwise) {
  const std::string file = training_file();
  const WeightsFile average = parse(file);
  EXPECT_EQ(average.chosen(), "ema");
  EXPECT_EQ(text_of(average.tensors().at(0).view.bytes), "ccccdddd");
  EXPECT_EQ(text_of(parse(file, WeightsChoice::ema).tensors().at(0).view.bytes), "ccccdddd");
  EXPECT_EQ(text_of(parse(file, WeightsChoice::model).tensors().at(0).view.bytes), "aaaabbbb");
}

TEST(WeightsFile, keeps_plain_arguments) {
  EXPECT_EQ(parse(training_file()).arguments(),
            (std::map<std::string, std::string>{
                {"ckpt", "None"}, {"ebm", "none"}, {"num_classes", "3"}, {"uncond", "True"}}));
}

TEST(WeightsFile, takes_a_state_dictionary_alone) {
  const std::string file = torch_zip(
      dict({{"b", vector_of("0", 2)}, {"a", vector_of("1", 2)}, {"n", number(1)}}), kStorages);
  const WeightsFile weights = parse(file);
  EXPECT_EQ(weights.chosen(), "");
  EXPECT_EQ(names_of(weights), (Names{"a", "b"}));
}

TEST(WeightsFile, takes_the_words_of_wrappers_away) {
  const std::string file = torch_zip(
      dict({{"module.a", vector_of("0", 2)}, {"module.b", vector_of("1", 2)}}), kStorages);
  EXPECT_EQ(names_of(parse(file)), (Names{"a", "b"}));
  const std::string compiled =
      torch_zip(dict({{"_orig_mod.module.a", vector_of("0", 2)}}), kStorages);
  EXPECT_EQ(names_of(parse(compiled)), (Names{"a"}));
  const std::string mixed =
      torch_zip(dict({{"module.a", vector_of("0", 2)}, {"b", vector_of("1", 2)}}), kStorages);
  EXPECT_EQ(names_of(parse(mixed)), (Names{"b", "module.a"}));
}

TEST(WeightsFile, reads_safetensors_of_the_same_names) {
  const std::string header = "{" + test::entry("ema.w", "F32", "[1]", "[0,4]") + "," +
                             test::entry("model.w", "F32", "[1]", "[4,8]") + "}";
  const std::string file = test::file_of(header, "aaaabbbb");
  EXPECT_EQ(text_of(parse(file).tensors().at(0).view.bytes), "aaaa");
  EXPECT_EQ(parse(file).tensors().size(), 1u);
  EXPECT_EQ(text_of(parse(file, WeightsChoice::model).tensors().at(0).view.bytes), "bbbb");
  const std::string bare =
      test::file_of("{" + test::entry("w", "F32", "[1]", "[0,4]") + "}", "aaaa");
  EXPECT_EQ(names_of(parse(bare)), Names{"w"});
}

// The first byte of such a file is the length of its header, which may be the first of a pickle.
TEST(WeightsFile, tells_safetensors_from_pickles) {
  std::string header = "{" + test::entry("w", "F32", "[1]", "[0,4]") + "}";
  header.resize(0x80, ' ');
  EXPECT_EQ(names_of(parse(test::file_of(header, "aaaa"))), Names{"w"});
}

TEST(WeightsFile, refuses_what_it_has_not) {
  const std::string file = torch_zip(dict({{"w", vector_of("0", 2)}}), kStorages);
  expect_input_error("has no 'ema' weights", [&] { parse(file, WeightsChoice::ema); });
  expect_input_error("has no 'model' weights", [&] { parse(file, WeightsChoice::model); });
  const std::string empty = torch_zip(dict({{"epoch", number(3)}}), {});
  expect_input_error("holds no tensors by name", [&] { parse(empty); });
  const std::string whole_model = torch_zip(call(global("models", "EqM"), {}), {});
  expect_input_error("an object of 'models.EqM' instead of a dictionary",
                     [&] { parse(whole_model); });
  expect_input_error("neither a PyTorch checkpoint nor safetensors", [&] { parse("GIF89a"); });
  expect_input_error("neither a PyTorch checkpoint nor safetensors", [&] { parse(""); });
}

TEST(WeightsFile, released_bytes_are_read_again) {
  const test::TemporaryFolder folder;
  write_file(folder / "a.pt", training_file());
  const WeightsFile file = WeightsFile::open(folder / "a.pt", WeightsChoice::automatic);
  const NamedWeights& item = file.tensors().at(0);
  file.check(item);
  file.release(item);
  EXPECT_EQ(text_of(item.view.bytes), "ccccdddd");
}

}  // namespace
}  // namespace eqm
