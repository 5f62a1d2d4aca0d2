#include "eqm/train/run_folder.h"

#include <string>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/train/checkpoint.h"

namespace eqm {

std::filesystem::path find_model(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return path;
  const RunPaths paths = {.folder = path};
  // The latest checkpoint first: the model beside it may be of an earlier stop.
  const auto checkpoints = find_checkpoints(paths.checkpoints());
  if (!checkpoints.empty()) return RunPaths{checkpoints.back().path}.model();
  if (std::filesystem::exists(paths.model(), ignored)) return paths.model();
  throw Error(ErrorKind::input, fmt::format("there is no model in the folder '{}'", path.string()),
              "give a .safetensors file, a run folder or a checkpoint");
}

}  // namespace eqm
