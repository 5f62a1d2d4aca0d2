#include "eqm/tensor/named_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/base/nearest.h"
#include "eqm/tensor/bridge.h"

namespace eqm {

void save_tensors(const std::filesystem::path& path, const NamedTensors& tensors,
                  const std::map<std::string, std::string>& metadata) {
  std::vector<Tensor> kept;  // the views point into these
  std::vector<NamedTensor> views;
  for (const auto& [name, tensor] : tensors) {
    kept.push_back(tensor.detach().cpu().contiguous());
    views.push_back({name, to_view(kept.back())});
  }
  write_safetensors(path, views, metadata);
}

uint64_t fingerprint_of(const NamedTensors& tensors) {
  Hash hash;
  for (const auto& [name, tensor] : tensors) {
    const Tensor values = tensor.detach().to(torch::kCPU, torch::kFloat64).contiguous();
    hash.add(name).add(to_view(values).bytes);
  }
  return hash.value();
}

void load_tensors(const NamedTensors& tensors, const SafetensorsFile& file) {
  std::vector<std::string> names;
  for (const auto& entry : tensors) names.push_back(entry.first);
  const std::map<std::string, Tensor> by_name(tensors.begin(), tensors.end());
  for (const std::string& name : file.names()) {
    if (by_name.contains(name)) continue;
    throw Error(ErrorKind::input, fmt::format("the file has an unexpected tensor '{}'", name),
                suggestion(name, names));
  }
  for (const auto& [name, tensor] : tensors) {
    if (!file.contains(name)) {
      throw Error(ErrorKind::input, fmt::format("the file lacks the tensor '{}'", name),
                  "do architecture and weights belong together?");
    }
    const Shape shape = file.at(name).shape;
    if (shape != tensor.sizes().vec()) {
      throw Error(ErrorKind::input,
                  fmt::format("'{}' has shape [{}] where [{}] is needed", name,
                              fmt::join(shape, ", "), fmt::join(tensor.sizes().vec(), ", ")),
                  "do architecture and weights belong together?");
    }
  }
  const torch::NoGradGuard guard;
  for (const auto& [name, tensor] : tensors) {
    tensor.copy_(read_tensor(file, name));
    file.mapping()->release(file.at(name).bytes);  // or a large model is in memory twice
  }
}

}  // namespace eqm
