#include "eqm/descend/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/descend/shown_gamma.h"

namespace eqm {
namespace {

// Whether the resolved options make anything of the limit that was asked for: walk and land takes
// as many steps as it was planned with.
bool reaches_limit(const DescentOptions& resolved, int64_t limit) {
  return resolved.rule != RuleKind::walk_and_land || resolved.limit == limit;
}

bool is_stop(const std::string& option) {
  return option == "threshold" || option == "fraction" || option == "plateau";
}

// An option of a rule in a line for people; nothing where it says nothing.
std::string described_option(const DescentOptions& options, const Option& option) {
  if (option.name == "eta") {  // integrators leave it at 0: their time divided by their steps
    return options.eta == 0 ? "" : fmt::format(" eta {:.6g}", options.eta);
  }
  if (option.name == "horizon") {
    return options.whole_way() == options.limit ? "" : fmt::format(" horizon {}", options.horizon);
  }
  if (option.name == "step-schedule") {
    if (options.schedule == StepSchedule::constant) return "";
    return " schedule " + to_text(option.get());
  }
  if (option.name == "time-grid") {
    return options.time_grid == TimeGrid::uniform ? "" : " grid " + to_text(option.get());
  }
  return fmt::format(" {} {}", option.name == "walk-order" ? "order" : option.name,
                     to_text(option.get()));
}

// "land, gd, nesterov ...": the rules for which something holds.
template <class Holds>
std::string rules_where(const Holds& holds) {
  std::string names;
  for (const RuleRow& row : rule_table()) {
    if (holds(row)) names += (names.empty() ? "" : ", ") + std::string(row.name);
  }
  return names;
}

}  // namespace

void DescentOptions::declare(OptionSet& options) {
  options.choice("rule", rule, rule_names(),
                 "update rule; auto is land (euler for flows), or nesterov when {eta}, {mu}, "
                 "{step-schedule}, {horizon} or a stopping option is given");
  options.number(
      "eta", eta, Range::between(0, 1e30),
      "step size η; 0 chooses by the landscape: 3/(λ·limit) for the paper's, 1/(λ·limit) for a "
      "constant c, times 1-μ for rules with velocity; 6/limit for adam and rmsprop; "
      "integrators divide their time evenly");
  options.choice("step-schedule", schedule, step_schedule_names(),
                 "step-size schedule; auto is linear for adam and rmsprop, else constant");
  options.number("mu", mu, Range::between(0, 1), "look-ahead or momentum μ");
  options.number("mean-decay", beta1, Range::between(0, 0.9999),
                 "adam: decay of the mean gradient");
  options.number("square-decay", beta2, Range::between(0, 0.9999),
                 "adam, rmsprop: decay of the mean squared gradient");
  options.number("temperature", temperature, Range::at_least(0),
                 "langevin: temperature of the noise");
  options.count("walk", walk, Range::between(1, 100000), "land: steps across the flat part");
  options.count("land", land, Range::between(0, 100000),
                "land: landing steps; both defaults are reduced to fit {limit}");
  options.number("glide", glide, {.least = 0, .most = 2, .above = true},
                 "land: fraction of the way down that each landing step but the last covers; 0.5 "
                 "for models conditioned on γ");
  options.count(
      "walk-order", walk_order, Range::between(1, 2),
      "land: order of the walking steps; 2 follows the curvature of the path, 1 is straight");
  options.choice("time-grid", time_grid, time_grid_names(),
                 "fixed-step integrators: their times; edm takes short steps near noise and data");
  options.number("atol", atol, {.least = 0, .most = 1e6, .above = true},
                 "dopri5: absolute tolerance");
  options.number("rtol", rtol, {.least = 0, .most = 1e6, .above = true},
                 "dopri5: relative tolerance");
  options.choice("diffusion", diffusion, diffusion_names(), "sde-*: diffusion coefficient");
  options.choice("last-step", last_step, last_step_names(),
                 "sde-*: how the final 0.04 of time is integrated");
  options.count("limit", limit, Range::between(0, 1'000'000), "maximum number of steps per sample");
  options.count("horizon", horizon, Range::between(0, 1'000'000),
                "steps of the whole way, of which {limit} are taken; 0 for {limit}");
  options.number("threshold", threshold, Range::at_least(0),
                 "a sample stops when its gradient norm is at most this");
  options.number(
      "fraction", fraction, Range::between(0, 0.9999),
      "a sample stops when its gradient norm falls to this fraction of its initial norm");
  options.count("plateau", plateau, Range::between(0, 1'000'000),
                "a sample stops after this many steps without a smaller norm, once the norm has "
                "halved; 0 for never");
}

void DescentOptions::validate(const Objective& objective) const {
  DescentOptions chosen = *this;
  chosen.rule = resolved_rule(objective);
  const RuleRow& row = row_of(chosen.rule);
  if (row.integrates) {
    chosen.validate_integrator(row);
  } else if (is_flow(objective.kind)) {
    throw Error(ErrorKind::usage, fmt::format("a flow has no bottom to descend to by {}", row.name),
                "choose an integrator: " +
                    rules_where([](const RuleRow& other) { return other.integrates; }));
  } else if (sees_time(objective.kind) && row.gamma == ShownGamma::never) {
    throw Error(
        ErrorKind::usage,
        fmt::format("{} cannot show the model how far a sample has come", row.name),
        "for a model that is shown γ choose one of " +
            rules_where([](const RuleRow& other) { return other.gamma != ShownGamma::never; }));
  }
  if (row.reads("horizon") && horizon > 0 && limit > horizon) {
    throw Error(ErrorKind::usage,
                fmt::format("{{limit}} {} goes beyond the {{horizon}} of {} steps", limit, horizon),
                "lower {limit}, or raise {horizon}");
  }
  if (row.validate) row.validate(chosen, objective);
}

void DescentOptions::validate_integrator(const RuleRow& row) const {
  if (whole_way() < 1) {
    throw Error(ErrorKind::usage, "an integrator needs at least one step", "raise {limit}");
  }
  if (eta != 0 && !row.reads("eta")) {
    throw Error(ErrorKind::usage,
                fmt::format("{} chooses its steps by their error and takes no {{eta}}", row.name),
                "choose {atol} and {rtol}, or another integrator");
  }
  if (stops_at_rest()) {
    throw Error(ErrorKind::usage, "an integrator runs to the end of its time and never stops early",
                "omit {threshold}, {fraction} and {plateau}");
  }
}

DescentOptions DescentOptions::resolve(const Objective& objective) const {
  DescentOptions resolved = *this;
  resolved.rule = resolved_rule(objective);
  if (const auto special = row_of(resolved.rule).resolve) special(resolved, objective);
  return resolved;
}

RuleKind DescentOptions::resolved_rule(const Objective& objective) const {
  if (rule != RuleKind::automatic) return rule;
  if (is_flow(objective.kind)) return RuleKind::euler;
  const bool stops = !sees_time(objective.kind) && stops_at_rest();
  const bool steps =
      eta != 0 || mu != DescentOptions().mu || schedule != StepSchedule::automatic || horizon != 0;
  return steps || stops ? RuleKind::nesterov : RuleKind::walk_and_land;
}

std::vector<std::string> DescentOptions::unused(const Objective& objective) const {
  const DescentOptions resolved = resolve(objective);
  const RuleRow& row = row_of(resolved.rule);
  const bool rests = !sees_time(objective.kind) && !row.integrates;
  const auto is_used = [&](const std::string& option) {
    if (option == "rule") return true;
    if (option == "limit") return reaches_limit(resolved, limit);
    return is_stop(option) ? rests : row.reads(option);
  };
  DescentOptions own = *this, standard;
  OptionSet own_set, standard_set;
  own.declare(own_set);
  standard.declare(standard_set);
  std::vector<std::string> names;
  for (size_t i = 0; i < own_set.options().size(); ++i) {
    const Option& option = own_set.options()[i];
    const bool changed = option.get() != standard_set.options()[i].get();
    if (changed && !is_used(option.name)) names.push_back(option.name);
  }
  return names;
}

std::string DescentOptions::described() const {
  const RuleRow& row = row_of(rule);
  DescentOptions own = *this;
  OptionSet set;
  own.declare(set);
  std::string text = row.name;
  for (const std::string& name : row.options) text += described_option(own, *set.find(name));
  if (*row.limit_as != 0) text += fmt::format(" {} {}", row.limit_as, limit);
  if (row.integrates) return text;
  if (threshold > 0) text += fmt::format(" threshold {}", threshold);
  if (fraction > 0) text += fmt::format(" fraction {}", fraction);
  if (plateau > 0) text += fmt::format(" plateau {}", plateau);
  return text;
}

StopTest DescentOptions::stop() const {
  // The last step of an SDE comes after all of the noisy ones.
  const bool last =
      row_of(rule).reads("last-step") && last_step != LastStep::none && limit == whole_way();
  return {.threshold = threshold,
          .fraction = fraction,
          .plateau = plateau,
          .limit = limit + (last ? 1 : 0)};
}

Rule make_rule(const DescentOptions& options, const Objective& objective) {
  const RuleRow& row = row_of(options.rule);
  if (row.make == nullptr) {
    throw Error(ErrorKind::usage, fmt::format("the rule {} is not resolved yet", row.name),
                "make rules of what resolve() returns");
  }
  Rule rule = row.make(options, objective);
  const bool shown = objective.kind == ObjectiveKind::eqm_noise_condition;
  return shown && row.gamma == ShownGamma::by_steps ? with_gamma(rule, objective.magnitude) : rule;
}

}  // namespace eqm
