#include <iostream>

#include "eqm/descend/descent.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/ideal_field.h"

int main() {
  const eqm::IdealField field(torch::tensor({{3.0, 0.0}, {-3.0, 0.0}}), {});
  const eqm::DescentResult result = eqm::descend(
      field, eqm::gradient_descent(0.02),
      {.start = torch::tensor({{0.5, 0.2}}), .stop = {.threshold = 0.01, .limit = 1000}});
  std::cout << result.x
            << (result.samples[0].status == eqm::DescentStatus::converged ? " at rest\n"
                                                                          : " moving\n");
}
