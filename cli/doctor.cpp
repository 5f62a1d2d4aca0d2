// eqm doctor: what is really loaded, and a hint for whatever is wrong.
#include "eqm/app/doctor.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"

namespace eqm::cli {

std::unique_ptr<Verb> doctor_verb() {
  return verb_of<DoctorOptions>(use_named("doctor"), [](const DoctorOptions& options, Host& host) {
    int problems = 0;
    for (const Finding& finding : app::run(options, host)) {
      std::cout << fmt::format("{:14} {}\n", finding.topic, finding.value);
      if (finding.hint.empty()) continue;
      std::cout << fmt::format("{:14} hint: {}\n", "", finding.hint);
      ++problems;
    }
    std::cout << (problems == 0
                      ? "all is well\n"
                      : fmt::format("{} hint{} above\n", problems, problems == 1 ? "" : "s"));
    return false;
  });
}

}  // namespace eqm::cli
