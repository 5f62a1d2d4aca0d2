#include "eqm/measure/inception_features.h"

#include <fmt/format.h>

namespace eqm {

InceptionFeatures::InceptionFeatures(Inception network, InceptionConvention convention)
    : network_(std::move(network)),
      convention_(convention),
      identity_(fmt::format("inception {:016x} {}", network_.fingerprint(),
                            name_in(inception_convention_names(), convention))) {}

FeatureNet::Opinion InceptionFeatures::look(const Tensor& pixels) const {
  const InceptionOutput output =
      network_.forward(inception_input(pixels, convention_, network_.type()));
  return {.features = output.pool,
          .spatial = output.spatial,
          .probabilities = network_.logits(output.pool).softmax(1),
          .labels = {}};
}

}  // namespace eqm
