// A field of your own through the engine: the double well E(x) = (x² - 1)² / 4, descended from a
// few starts. Any network or formula that answers gradients will do.
#include <iostream>

#include "eqm/eqm.h"

class DoubleWell final : public eqm::Field {
 public:
  eqm::Tensor gradient(const eqm::Tensor& x, const eqm::Condition&) const override {
    return x * (x * x - 1);
  }
  bool has_energy() const override { return true; }
  eqm::GradientAndEnergy gradient_and_energy(const eqm::Tensor& x,
                                             const eqm::Condition& condition) const override {
    const eqm::Tensor energy = ((x * x - 1).square() / 4).flatten(1).sum(1);
    return {.gradient = gradient(x, condition), .energy = energy};
  }
};

int main() {
  const eqm::Tensor start = torch::tensor({{-2.0}, {-0.1}, {0.1}, {1.7}});
  const eqm::DescentResult result =
      eqm::descend(DoubleWell(), start,
                   {.rule = eqm::nesterov_look_ahead(/*eta=*/0.2, /*mu=*/0.3),
                    .stop = {.threshold = 1e-4, .limit = 200}});
  for (int64_t i = 0; i < start.size(0); ++i) {
    const eqm::SampleRecord& record = result.samples[static_cast<size_t>(i)];
    std::cout << start[i].item<double>() << " -> " << result.x[i].item<double>() << ", "
              << eqm::name_of(record.status) << " after " << record.steps << " steps\n";
  }
}
