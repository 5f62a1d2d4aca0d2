// That a network computes each row of a batch as if it were alone.
#pragma once

#include <gtest/gtest.h>

#include "eqm/backbone/backbone.h"
#include "tests/support/golden.h"
#include "tests/support/normal.h"

namespace eqm::test {

// Of a network in float64 with at least three classes and a null class.
inline void expect_independent_rows(const Backbone& network, double limit) {
  const Tensor x = normal(5, 4, network.state_shape());
  const Condition all = {.labels = torch::tensor({0, 1, 2, 3}, torch::kInt64),
                         .time = torch::tensor({0.1, 0.2, 0.3, 0.4}, torch::kFloat64)};
  const Tensor together = network.forward(x, all).output;
  for (int64_t b = 0; b < 4; ++b) {
    const Tensor index = torch::full({1}, b, torch::kInt64);
    EXPECT_TRUE(close(network.forward(x.narrow(0, b, 1), all.rows(index)).output,
                      together.narrow(0, b, 1), limit));
  }
}

}  // namespace eqm::test
