#include "eqm/train/run_folder.h"

#include <gtest/gtest.h>

#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

TEST(FindModel, takes_a_file_as_it_is) {
  const TemporaryFolder folder;
  write_file(folder / "any.safetensors", "text");
  EXPECT_EQ(find_model(folder / "any.safetensors"), folder / "any.safetensors");
}

TEST(FindModel, takes_the_model_of_a_checkpoint_or_of_a_run_without_one) {
  const TemporaryFolder folder;
  write_file(folder / "model.safetensors", "text");
  EXPECT_EQ(find_model(folder.path()), folder / "model.safetensors");
}

TEST(FindModel, takes_the_latest_checkpoint_of_a_run) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder.path()};
  for (const char* name : {"step-0000009", "step-0000100", "step-0000020"}) {
    create_folder(paths.checkpoints() / name);
    write_file(paths.checkpoints() / name / "model.safetensors", "text");
  }
  EXPECT_EQ(find_model(folder.path()), paths.checkpoints() / "step-0000100/model.safetensors");
  write_file(paths.model(), "text");  // perhaps of an earlier stop
  EXPECT_EQ(find_model(folder.path()), paths.checkpoints() / "step-0000100/model.safetensors");
}

TEST(FindModel, passes_over_a_checkpoint_without_a_model) {
  const TemporaryFolder folder;
  const RunPaths paths = {.folder = folder.path()};
  for (const char* name : {"step-0000009", "step-0000100"}) {
    create_folder(paths.checkpoints() / name);
  }
  write_file(paths.checkpoints() / "step-0000009/model.safetensors", "text");
  EXPECT_EQ(find_model(folder.path()), paths.checkpoints() / "step-0000009/model.safetensors");
}

TEST(FindModel, says_when_a_folder_has_none) {
  const TemporaryFolder folder;
  expect_input_error("no model in the folder", [&] { find_model(folder.path()); });
  create_folder(folder / "checkpoints/.eqm-0123456789abcdef.tmp");
  expect_input_error("no model in the folder", [&] { find_model(folder.path()); });
}

}  // namespace
}  // namespace eqm::test
