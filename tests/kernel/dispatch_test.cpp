#include "eqm/kernel/dispatch.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>

#include "eqm/kernel/ops.h"
#include "tests/support/normal.h"

namespace eqm::test {
namespace {

bool is_ours(const Tensor& t) {
  return t.grad_fn()->name().find("eqm") != std::string::npos;
}

TEST(Dispatch, takes_the_fused_path_for_float32_on_the_cpu_only) {
  const kernel::PathScope fused(kernel::Path::fused);  // whatever EQM_KERNELS says
  const auto output = [](torch::ScalarType type, bool contiguous) {
    Tensor qkv = normal(1, {2, 12, 4}).to(type);
    qkv = contiguous ? qkv.transpose(1, 2).contiguous() : qkv.transpose(1, 2);
    return kernel::attention(qkv.requires_grad_(true), 2);
  };
  EXPECT_TRUE(is_ours(output(torch::kFloat32, true)));
  EXPECT_FALSE(is_ours(output(torch::kFloat64, true)));
  EXPECT_FALSE(is_ours(output(torch::kFloat32, false)));
  {
    const kernel::PathScope scope(kernel::Path::plain);
    EXPECT_FALSE(is_ours(output(torch::kFloat32, true)));
  }
  EXPECT_TRUE(is_ours(output(torch::kFloat32, true)));
}

}  // namespace
}  // namespace eqm::test
