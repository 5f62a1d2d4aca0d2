#include "eqm/landscape/torch_form.h"

#include <vector>

#include "eqm/backbone/weights.h"
#include "eqm/io/torch_writer.h"
#include "eqm/tensor/bridge.h"

namespace eqm {

void save_for_torch(const Model& model, const std::filesystem::path& path,
                    std::optional<torch::ScalarType> stored) {
  std::vector<Tensor> kept;  // the views point into these
  std::vector<NamedTensor> views;
  for (const auto& [name, weight] : weights_of(*model.backbone)) {
    Tensor values = weight.detach().cpu();
    if (stored) values = values.to(*stored);
    kept.push_back(values.contiguous());
    views.push_back({name, to_view(kept.back())});
  }
  write_torch_file(path, views, model_metadata(model, model.backbone->architecture()));
}

}  // namespace eqm
