// eqm doctor: what is really loaded, and a hint for whatever is wrong.
#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
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

  int run(const OptionSet&, Console&) override {
    start_runtime(runtime_);
    int problems = 0;
    std::cout << fmt::format("{:14} {}\n", "eqm", EQM_VERSION);
    for (const Finding& finding : inspect_machine()) {
      std::cout << fmt::format("{:14} {}\n", finding.topic, finding.value);
      if (finding.hint.empty()) continue;
      std::cout << fmt::format("{:14} hint: {}\n", "", finding.hint);
      ++problems;
    }
    std::cout << (problems == 0 ? "all is well\n" : fmt::format("{} hint(s) above\n", problems));
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
