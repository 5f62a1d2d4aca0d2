#include "eqm/backbone/learned_sigma.h"

#include "eqm/backbone/sit.h"
#include "eqm/backbone/sit_layout.h"
#include "eqm/backbone/weights.h"

namespace eqm {

BackbonePtr without_learned_sigma(const BackbonePtr& backbone) {
  const auto sit = std::dynamic_pointer_cast<Sit>(backbone);
  if (!sit || !sit->config().learn_sigma) return backbone;
  SitConfig config = sit->config();
  config.learn_sigma = false;
  const auto used = std::make_shared<Sit>(config);
  const torch::TensorOptions type = options_of(*sit);
  used->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
  const torch::NoGradGuard guard;
  const std::string last = sit_layout(config).last.name + ".";
  const NamedTensors from = weights_of(*sit), into = weights_of(*used);
  for (size_t i = 0; i < into.size(); ++i) {  // of one layout: the same names in the same order
    const auto& [name, weight] = into[i];
    const Tensor& whole = from[i].second;
    if (!name.starts_with(last)) {
      weight.copy_(whole);
      continue;
    }
    // Outputs are [p, p, channel]: of every pixel of a patch the first channels stay.
    const Tensor pixels = whole.unflatten(0, {-1, 2 * config.in_channels});
    weight.copy_(pixels.narrow(1, 0, config.in_channels).flatten(0, 1));
  }
  return used;
}

}  // namespace eqm
