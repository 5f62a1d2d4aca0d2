#include "eqm/app/sampled_landscape.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/model_lookup.h"
#include "eqm/base/error.h"
#include "eqm/io/text.h"
#include "eqm/landscape/composed_field.h"
#include "eqm/landscape/labels.h"
#include "eqm/landscape/mix.h"

namespace eqm::app {
namespace {

struct NamedModel {
  std::string name;
  std::filesystem::path file;  // resolved: the same for all names of a file
  Model model;
};

NamedModel open_named_model(const std::string& name, const torch::TensorOptions& type) {
  const std::filesystem::path file = model_file(name);
  std::error_code ignored;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(file, ignored);
  return {.name = name, .file = resolved.empty() ? file : resolved, .model = load_for(name, type)};
}

[[noreturn]] void refuse_sum(const NamedModel& one, const NamedModel& other,
                             const std::string& difference) {
  throw Error(ErrorKind::usage,
              fmt::format("{} and {} cannot be mixed: {}", in_quotes(one.name),
                          in_quotes(other.name), difference),
              "mix models of the same states and the same kind of landscape");
}

// Whether two landscapes sink alike, up to their scale λ.
bool same_shape(const Magnitude& one, const Magnitude& other) {
  const bool bent = one.kind == MagnitudeKind::truncated || one.kind == MagnitudeKind::piecewise;
  return one.kind == other.kind && (!bent || one.a == other.a) &&
         (one.kind != MagnitudeKind::piecewise || one.b == other.b);
}

void require_same_states(const NamedModel& one, const NamedModel& other) {
  const Shape shape = one.model.backbone->state_shape(),
              others = other.model.backbone->state_shape();
  if (shape != others) {
    refuse_sum(
        one, other,
        fmt::format("their states are {} and {}", fmt::join(shape, "x"), fmt::join(others, "x")));
  }
  if (one.model.scaling != other.model.scaling) {
    refuse_sum(one, other, "they scale pixels or latents differently");
  }
}

void require_same_landscape(const NamedModel& one, const NamedModel& other) {
  const Objective &objective = one.model.objective, &others = other.model.objective;
  if (is_flow(objective.kind) != is_flow(others.kind)) {
    refuse_sum(one, other, "one is a flow over time, the other a landscape to descend");
  }
  const bool shown = objective.kind == ObjectiveKind::eqm_noise_condition;
  if (shown != (others.kind == ObjectiveKind::eqm_noise_condition)) {
    refuse_sum(one, other, "one is shown γ and the other is not");
  }
  const Magnitude c = objective.effective_magnitude(), other_c = others.effective_magnitude();
  if (!same_shape(c, other_c)) refuse_sum(one, other, "their c(γ) have different shapes");
  if (shown && c.lambda != other_c.lambda) {
    refuse_sum(one, other, "they are shown γ, and their λ differ");
  }
}

class MixedModels {
 public:
  explicit MixedModels(const torch::TensorOptions& type) : type_(type) {}

  // The number of a model; a file that is there already is not read again.
  size_t add(const std::string& name) {
    const auto known = std::ranges::find(models_, name, &NamedModel::name);
    if (known != models_.end()) return static_cast<size_t>(known - models_.begin());
    NamedModel fresh = open_named_model(name, type_);
    const auto same = std::ranges::find(models_, fresh.file, &NamedModel::file);
    if (same != models_.end()) return static_cast<size_t>(same - models_.begin());
    if (!models_.empty()) {
      require_same_states(models_.front(), fresh);
      require_same_landscape(models_.front(), fresh);
    }
    models_.push_back(std::move(fresh));
    return models_.size() - 1;
  }

  const std::vector<NamedModel>& all() const { return models_; }

 private:
  torch::TensorOptions type_;
  std::vector<NamedModel> models_;
};

// Forgotten @: "b.safetensors:0.5".
int64_t label_in_mix(const Model& model, const std::string& label) {
  try {
    return label_of(model, label);
  } catch (const Error& error) {
    std::error_code ignored;
    if (!label.ends_with(".safetensors") && !std::filesystem::exists(label, ignored)) throw;
    throw Error(error.kind(), error.what(),
                fmt::format("for a class of another model write {}@label", label));
  }
}

// The objective of a sum: λ is what a gradient of the mean weight has.
Objective summed_objective(const std::vector<NamedModel>& models,
                           const std::vector<double>& weights) {
  Objective objective = models.front().model.objective;
  if (is_flow(objective.kind)) return objective;
  double total = 0, lambda = 0;
  for (size_t i = 0; i < models.size(); ++i) {
    total += weights[i];
    lambda += weights[i] * models[i].model.objective.magnitude.lambda;
  }
  if (!(total > 0) || !(lambda > 0)) {
    throw Error(ErrorKind::usage, "the mix climbs more than it descends",
                "let its weights sum to more than 0, as in coat:1,bag:1,null:-1");
  }
  objective.magnitude.lambda = lambda / total;
  return objective;
}

struct ModelLabel {
  size_t model = 0;
  int64_t label = 0;
  double weight = 1;
};

SampledLandscape sum_of(const MixedModels& mixed, const std::vector<ModelLabel>& labels,
                        const std::string& mix) {
  const std::vector<NamedModel>& models = mixed.all();
  std::vector<std::shared_ptr<const Field>> parts;
  for (const NamedModel& model : models) {
    parts.push_back(std::make_shared<const LearnedField>(model.model));
  }
  const auto field = std::make_shared<const ComposedField>(parts);
  Terms terms = {.list = {}};
  std::vector<double> weights(models.size());
  for (const ModelLabel& one : labels) {
    terms.list.push_back({.label = field->label_of_part(one.model, one.label),
                          .weight = one.weight,
                          .rest_weight = one.weight});
    weights[one.model] += one.weight;
  }
  return {.model_name = models.front().name,
          .model = models.front().model,
          .field = field,
          .objective = summed_objective(models, weights),
          .rows = {{.name = mix, .terms = terms}}};
}

}  // namespace

SampledLandscape open_landscape(const std::string& given, const SamplingRowsOptions& options,
                                UnnamedClasses unnamed, const torch::TensorOptions& type,
                                Logger& log) {
  const std::vector<MixPart> parts =
      options.mix.empty() ? std::vector<MixPart>() : mix_parts(options.mix);
  MixedModels mixed(type);
  if (parts.empty() || !given.empty() || parts.front().model.empty()) {
    mixed.add(given_or_shipped_model(given, log));
  }
  if (!parts.empty()) require_mix_alone(options);
  std::vector<ModelLabel> labels;
  for (const MixPart& part : parts) {
    const bool plain = part.model.empty() ||
                       (!mixed.all().empty() && has_class(mixed.all().front().model, part.plain));
    const size_t model = plain ? 0 : mixed.add(part.model);
    const std::string& label = plain && !part.plain.empty() ? part.plain : part.label;
    labels.push_back({.model = model,
                      .label = label_in_mix(mixed.all()[model].model, label),
                      .weight = part.weight});
  }
  const auto of_first = [](const ModelLabel& one) { return one.model == 0; };
  if (!labels.empty() && std::ranges::none_of(labels, of_first)) {
    log.warn("the mix takes no class of {}: {{model}} does nothing here", given);
  }
  if (mixed.all().size() > 1) return sum_of(mixed, labels, options.mix);
  const NamedModel& only_one = mixed.all().front();
  SampledLandscape landscape = {.model_name = only_one.name,
                                .model = only_one.model,
                                .field = std::make_shared<const LearnedField>(only_one.model),
                                .objective = only_one.model.objective,
                                .rows = {}};
  if (labels.empty()) {
    landscape.rows = sampling_rows(only_one.model, options, unnamed, log);
    return landscape;
  }
  Terms terms = {.list = {}};
  for (const ModelLabel& one : labels) {
    terms.list.push_back({.label = one.label, .weight = one.weight, .rest_weight = one.weight});
  }
  landscape.rows = {{.name = options.mix, .terms = terms}};
  return landscape;
}

}  // namespace eqm::app
