#include "cli/start/environment.h"

#include <cstdlib>

namespace eqm::cli {
namespace {

constexpr const char* kSpins = "3000";

bool is_set(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

void set_environment() {
  if (is_set("OMP_WAIT_POLICY") || is_set("GOMP_SPINCOUNT")) return;
  setenv("GOMP_SPINCOUNT", kSpins, /*overwrite=*/1);
}

}  // namespace eqm::cli
