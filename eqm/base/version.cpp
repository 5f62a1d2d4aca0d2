#include "eqm/base/version.h"

namespace eqm {

std::string version() {
  return EQM_VERSION;
}

std::string software_name() {
  return "eqm " + version();
}

}  // namespace eqm
