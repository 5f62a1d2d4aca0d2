// Runs a test on every instruction set of the machine that the kernels are compiled for.
#pragma once

#include <functional>

#include <gtest/gtest.h>

#include "eqm/kernel/simd/instruction_set.h"

namespace eqm::test {

inline void on_every_target(const std::function<void()>& work) {
  const std::vector<int64_t> targets = simd::runnable_targets();
  EXPECT_FALSE(targets.empty());
  for (const int64_t target : targets) {
    SCOPED_TRACE(simd::target_name(target));
    simd::force_target(target);
    work();
  }
  simd::force_target(0);
}

}  // namespace eqm::test
