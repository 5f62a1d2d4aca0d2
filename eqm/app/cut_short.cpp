#include "eqm/app/cut_short.h"

namespace eqm::app {

void warn_of_cut_short(const DescentOptions& descent, const Objective& objective,
                       int64_t at_the_limit, int64_t samples, Logger& log) {
  const DescentOptions settled = descent.resolve(objective);
  if (at_the_limit == 0 || !is_integrator(settled.rule)) return;
  if (settled.limit < settled.whole_way()) return;  // as {horizon} asks for
  log.warn(
      "{} of {} samples of {} were cut short after {} steps, before their time was over: they are "
      "noise in part; raise {{limit}}, or loosen {{atol}} and {{rtol}}",
      at_the_limit, samples, name_in(rule_names(), settled.rule), settled.limit);
}

}  // namespace eqm::app
