#include "eqm/app/sampling_rows.h"

#include <algorithm>

#include "eqm/base/error.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostClassesByDefault = 10;

const Names<GuidedChannels>& guided_channel_names() {
  static const Names<GuidedChannels> names = {{"all", GuidedChannels::all},
                                              {"first-three", GuidedChannels::first_three}};
  return names;
}

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
  options.text("labels", labels,
               "classes by name or number, with commas; all; empty for the first ten");
  options.text("mix", mix, "classes with weights, as coat:1,bag:1,null:-1, in place of labels");
  options.number("guidance", guidance, Range::between(-1000, 1000),
                 "scale of classifier-free guidance; 1 for none");
  options.choice("guided-channels", guided_channels, guided_channel_names(),
                 "first-three is what the reference does with latents");
}

std::vector<SamplingRow> sampling_rows(const Model& model, const SamplingRowsOptions& options,
                                       Logger& log) {
  const double scale = options.guidance;
  if (!options.mix.empty()) {
    if (!options.labels.empty() || scale != 1) {
      throw Error(ErrorKind::usage, "a mix says all weights itself",
                  "omit {labels} and {guidance}, or write them as a mix");
    }
    return {{.name = options.mix, .terms = mix_of(model, options.mix)}};
  }
  const std::vector<int64_t> labels =
      options.labels.empty() ? first_classes(model, log) : labels_of(model, options.labels);
  if (labels.empty()) {
    if (scale != 1) {
      throw Error(ErrorKind::usage, "guidance needs labels, and this model has none",
                  "leave {guidance} at 1");
    }
    return {{.name = "", .terms = {}}};
  }
  std::vector<SamplingRow> rows;
  for (const int64_t label : labels) {
    rows.push_back(
        {.name = label_name(model, label),
         .terms = scale == 1 ? only(label) : guidance(label, scale, options.guided_channels),
         .label = label});
  }
  return rows;
}

}  // namespace eqm::app
