#include "eqm/backbone/weights.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/tensor/bridge.h"

namespace eqm {

void load_weights(Backbone& backbone, const SafetensorsFile& file) {
  const auto parameters = backbone.named_parameters();
  for (const std::string& name : file.names()) {
    if (!parameters.contains(name)) {
      throw Error(ErrorKind::input, fmt::format("the model has no parameter '{}'", name),
                  suggestion(name, parameters.keys()));
    }
  }
  for (const auto& entry : parameters) {
    if (!file.contains(entry.key())) {
      throw Error(ErrorKind::input, fmt::format("the file lacks the parameter '{}'", entry.key()),
                  "do architecture and weights belong together?");
    }
    const Shape shape = file.at(entry.key()).shape;
    if (shape != entry.value().sizes().vec()) {
      throw Error(ErrorKind::input,
                  fmt::format("'{}' has shape [{}] where the model needs [{}]", entry.key(),
                              fmt::join(shape, ", "), fmt::join(entry.value().sizes().vec(), ", ")),
                  "do architecture and weights belong together?");
    }
  }
  const torch::NoGradGuard guard;
  for (const auto& entry : parameters) entry.value().copy_(read_tensor(file, entry.key()));
}

void save_weights(const Backbone& backbone, const std::map<std::string, std::string>& metadata,
                  const std::filesystem::path& path) {
  std::vector<Tensor> kept;  // the views point into these
  std::vector<NamedTensor> tensors;
  for (const auto& entry : backbone.named_parameters()) {
    kept.push_back(entry.value().detach().cpu().contiguous());
    tensors.push_back({entry.key(), to_view(kept.back())});
  }
  write_safetensors(path, tensors, metadata);
}

}  // namespace eqm
