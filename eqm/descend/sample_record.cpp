#include "eqm/descend/sample_record.h"

namespace eqm {

const char* name_of(DescentStatus status) {
  switch (status) {
    case DescentStatus::converged:
      return "converged";
    case DescentStatus::plateau:
      return "plateau";
    case DescentStatus::limit:
      return "limit";
    case DescentStatus::arrived:
      return "arrived";
    case DescentStatus::diverged:
      return "diverged";
    case DescentStatus::cancelled:
      return "cancelled";
    case DescentStatus::expired:
      return "expired";
    case DescentStatus::failed:
      return "failed";
  }
  return "unknown";
}

bool is_finished(DescentStatus status) {
  return status != DescentStatus::cancelled && status != DescentStatus::expired &&
         status != DescentStatus::failed;
}

}  // namespace eqm
