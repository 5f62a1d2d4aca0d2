// The tests own their process: tensors of a workspace reuse memory, and EQM_KERNELS is obeyed.
#include <gtest/gtest.h>

#include "eqm/kernel/dispatch.h"
#include "eqm/tensor/workspace.h"

namespace eqm::test {
namespace {

class OwnProcess final : public ::testing::Environment {
  void SetUp() override {
    install_workspace_allocator();
    kernel::dispatch_process(kernel::dispatch_from_environment());
  }
};

// GoogleTest owns it.
const ::testing::Environment* const own_process =
    ::testing::AddGlobalTestEnvironment(new OwnProcess);

}  // namespace
}  // namespace eqm::test
