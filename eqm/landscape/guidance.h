// Classifier-free guidance as it is asked for, the same options wherever samples are drawn:
// f_null + s (f_label - f_null), on all channels or, as the reference does with latents of four
// channels, on the first three.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/landscape/terms.h"

namespace eqm {

const Names<GuidedChannels>& guided_channels_names();

struct GuidanceOptions {
  double scale = 1;  // 1 for none
  GuidedChannels channels = GuidedChannels::all;

  void declare(OptionSet& options);

  bool guides() const { return scale != 1; }

  // The landscape under a label. The null class has nothing to be guided towards.
  Terms terms_of(int64_t label) const;

  // For a record: "1.5", "1.5 on the first three channels".
  std::string described() const;

  bool operator==(const GuidanceOptions&) const = default;
};

}  // namespace eqm
