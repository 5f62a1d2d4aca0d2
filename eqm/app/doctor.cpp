#include "eqm/app/doctor.h"

#include "eqm/base/version.h"
#include "eqm/data/installed_sets.h"
#include "eqm/kernel/dispatch.h"

namespace eqm::app {

std::vector<Finding> run(const DoctorOptions& options, Host&) {
  make_runtime(options.runtime);
  std::vector<Finding> findings = {{"eqm", version(), ""}};
  for (Finding& finding : inspect_machine()) findings.push_back(std::move(finding));
  findings.push_back({"kernels", kernel::kernels_in_use(), ""});
  for (const InstalledSet& set : installed_sets(DataPlaces::from_environment())) {
    findings.push_back(set.folder.empty() ? Finding{set.name, "not found", set.remedy}
                                          : Finding{set.name, set.folder.string(), ""});
  }
  return findings;
}

}  // namespace eqm::app
