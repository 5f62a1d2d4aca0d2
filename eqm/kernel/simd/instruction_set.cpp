#include "eqm/kernel/simd/instruction_set.h"

#include "eqm/kernel/simd/targets.h"

namespace eqm::simd {

std::vector<int64_t> runnable_targets() {
  std::vector<int64_t> targets;
  // Better sets have lower bits.
  for (int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1) {
    targets.push_back(rest & -rest);
  }
  return targets;
}

std::string target_name(int64_t target) {
  return target == HWY_AVX3 ? "AVX-512" : hwy::TargetName(target);
}

void force_target(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace eqm::simd
