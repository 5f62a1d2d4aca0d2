// eqm doctor: what is really loaded, and a hint for whatever is wrong.
#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/base/version.h"
#include "eqm/data/installed_sets.h"
#include "eqm/kernel/dispatch.h"
#include "eqm/tensor/machine.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

class Doctor final : public Verb {
 public:
  std::string name() const override { return "doctor"; }
  std::string summary() const override {
    return "Shows what this machine offers and what is loaded";
  }
  void declare(OptionSet& options) override { runtime_.declare(options); }

  int run(const OptionSet&, Host&) override {
    make_runtime(runtime_);
    int problems = 0;
    std::cout << fmt::format("{:14} {}\n", "eqm", version());
    std::vector<Finding> findings = inspect_machine();
    findings.push_back({"kernels", kernel::kernels_in_use(), ""});
    for (const InstalledSet& set : installed_sets(DataPlaces::from_environment())) {
      findings.push_back(set.folder.empty() ? Finding{set.name, "not found", set.remedy}
                                            : Finding{set.name, set.folder.string(), ""});
    }
    for (const Finding& finding : findings) {
      std::cout << fmt::format("{:14} {}\n", finding.topic, finding.value);
      if (finding.hint.empty()) continue;
      std::cout << fmt::format("{:14} hint: {}\n", "", finding.hint);
      ++problems;
    }
    std::cout << (problems == 0
                      ? "all is well\n"
                      : fmt::format("{} hint{} above\n", problems, problems == 1 ? "" : "s"));
    return 0;
  }

 private:
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> doctor_verb() {
  return std::make_unique<Doctor>();
}

}  // namespace eqm::cli
