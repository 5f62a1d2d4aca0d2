#include "eqm/landscape/training_arguments.h"

#include <charconv>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr double kReferenceDispersion = 0.5;

std::string value_of(const TrainingArguments& arguments, const std::string& name,
                     const std::string& standard) {
  const auto found = arguments.find(name);
  return found == arguments.end() ? standard : found->second;
}

[[noreturn]] void refuse(const std::string& name, const std::string& value) {
  throw Error(ErrorKind::input,
              fmt::format("the checkpoint was trained with {} {}, for which there is no objective",
                          name, in_quotes(value)),
              "give what it predicts by {objective} if you know better");
}

void demand(const TrainingArguments& arguments, const std::string& name,
            const std::string& wanted) {
  const std::string value = value_of(arguments, name, wanted);
  if (value != wanted) refuse(name, value);
}

}  // namespace

Objective objective_from(const TrainingArguments& arguments) {
  Objective objective;
  demand(arguments, "path_type", "Linear");
  demand(arguments, "prediction", "velocity");
  // SiT has the transport's arguments, but none of those that EqM added.
  const bool is_sit = arguments.contains("path_type") && !arguments.contains("uncond");
  const bool sees_time = is_sit || value_of(arguments, "uncond", "True") == "False";
  const std::string energy = value_of(arguments, "ebm", "none");
  if (is_sit) {
    objective.kind = ObjectiveKind::fm;
  } else if (energy == "none") {
    objective.kind = sees_time ? ObjectiveKind::eqm_noise_condition : ObjectiveKind::eqm;
  } else if (energy == "dot" || energy == "mean") {
    objective.kind = ObjectiveKind::eqm_dot;  // the reference computes the same for both
  } else if (energy == "l2") {
    objective.kind = ObjectiveKind::eqm_l2;
  } else {
    refuse("ebm", energy);
  }
  if (has_energy(objective.kind) && sees_time) refuse("ebm and noise conditioning,", energy);
  if (value_of(arguments, "disp", "False") == "True") {
    objective.dispersive_weight = kReferenceDispersion;
  }
  return objective;
}

int64_t classes_from(const TrainingArguments& arguments) {
  const std::string text = value_of(arguments, "num_classes", "");
  int64_t classes = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), classes);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  return whole && classes > 0 ? classes : 0;
}

}  // namespace eqm
