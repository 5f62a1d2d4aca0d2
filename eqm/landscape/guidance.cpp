#include "eqm/landscape/guidance.h"

#include <fmt/format.h>

namespace eqm {

const Names<GuidedChannels>& guided_channels_names() {
  static const Names<GuidedChannels> names = {{"all", GuidedChannels::all},
                                              {"first-three", GuidedChannels::first_three}};
  return names;
}

void GuidanceOptions::declare(OptionSet& options) {
  options.number("guidance", scale, Range::between(-1000, 1000),
                 "scale of classifier-free guidance; 1 for none");
  options.choice("guided-channels", channels, guided_channels_names(),
                 "channels that guidance acts on; the reference guides the first three of latents");
}

Terms GuidanceOptions::terms_of(int64_t label) const {
  return guides() && label != kNullClass ? guidance(label, scale, channels) : only(label);
}

std::string GuidanceOptions::described() const {
  const bool some = guides() && channels == GuidedChannels::first_three;
  return fmt::format("{}{}", scale, some ? " on the first three channels" : "");
}

}  // namespace eqm
