#include "cli/start/environment.h"

#include <cstdlib>

namespace eqm::cli {
namespace {

constexpr const char* kSpins = "3000";

}  // namespace

void set_environment() {
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  if (policy != nullptr && *policy != '\0') return;
  setenv("GOMP_SPINCOUNT", kSpins, /*overwrite=*/0);
}

}  // namespace eqm::cli
