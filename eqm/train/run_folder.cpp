#include "eqm/train/run_folder.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/train/checkpoint.h"

namespace eqm {
namespace {

constexpr std::string_view kPrefix = "step-";

}  // namespace

std::string step_name(int64_t step) {
  return fmt::format("{}{:07}", kPrefix, step);
}

std::optional<int64_t> step_named(const std::string& name) {
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int64_t step = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, step);
  if (error != std::errc{} || stop != end || step < 0) return std::nullopt;
  return step;
}

std::filesystem::path RunPaths::picture(const std::string& name, int64_t step) const {
  return pictures(name) / (step_name(step) + ".png");
}

std::filesystem::path find_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  const RunPaths paths = {.folder = path};
  // The latest checkpoint first: the model beside it may be of an earlier stop.
  auto checkpoints = find_checkpoints(paths.checkpoints());
  std::ranges::reverse(checkpoints);
  for (const Checkpoint& checkpoint : checkpoints) {
    const std::filesystem::path model = RunPaths{checkpoint.path}.model();
    if (std::filesystem::exists(model, ignored)) return model;
  }
  if (std::filesystem::exists(paths.model(), ignored)) return paths.model();
  throw Error(ErrorKind::input, fmt::format("there is no model in the folder '{}'", path.string()),
              "give a .safetensors file, a run folder or a checkpoint");
}

}  // namespace eqm
