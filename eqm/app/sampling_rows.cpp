#include "eqm/app/sampling_rows.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostClassesByDefault = 10;

std::vector<int64_t> first_classes(const Model& model, Logger& log) {
  const int64_t known = model.backbone->num_classes();
  std::vector<int64_t> labels;
  for (int64_t label = 0; label < std::min(known, kMostClassesByDefault); ++label) {
    labels.push_back(label);
  }
  if (known > kMostClassesByDefault) {
    log.info("drawing the first {} of {} classes; choose with {{labels}}, or all",
             kMostClassesByDefault, known);
  }
  return labels;
}

}  // namespace

void SamplingRowsOptions::declare(OptionSet& options) {
  options.text(
      "labels", labels,
      "classes by name or number, separated by commas; all; null for no class; empty for the first "
      "ten, or all with {count}");
  options.text("mix", mix,
               "weighted sum of classes, such as coat:1,bag:1,null:-1, in place of {labels}; "
               "other.safetensors@coat:1 is a class of another model");
  guidance.declare(options);
}

void require_mix_alone(const SamplingRowsOptions& options) {
  if (options.labels.empty() && !options.guidance.guides()) return;
  throw Error(ErrorKind::usage, "a mix contains all weights already",
              "omit {labels} and {guidance}, or write them as a mix");
}

std::vector<SamplingRow> sampling_rows(const Model& model, const SamplingRowsOptions& options,
                                       UnnamedClasses unnamed, Logger& log) {
  if (!options.mix.empty()) {
    require_mix_alone(options);
    return {{.name = options.mix, .terms = mix_of(model, options.mix)}};
  }
  std::vector<int64_t> labels;
  if (!options.labels.empty()) {
    labels = labels_of(model, options.labels);
  } else if (unnamed == UnnamedClasses::all) {
    labels = every_class(model);
  } else {
    labels = first_classes(model, log);
  }
  const bool any = std::ranges::any_of(labels, [](int64_t label) { return label != kNullClass; });
  if (!any && options.guidance.guides()) {
    throw Error(ErrorKind::usage,
                labels.empty() ? "guidance needs labels, and this model has none"
                               : "guidance needs labels, and the null class is none",
                "leave {guidance} at 1");
  }
  if (labels.empty()) return {{.name = "", .terms = {}}};
  std::vector<SamplingRow> rows;
  for (const int64_t label : labels) {
    rows.push_back({.name = label_name(model, label),
                    .terms = options.guidance.terms_of(label),
                    .label = label});
  }
  return rows;
}

}  // namespace eqm::app
