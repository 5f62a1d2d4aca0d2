#include "eqm/landscape/terms.h"

namespace eqm {
namespace {

constexpr int64_t kReferenceGuidedChannels = 3;

}  // namespace

double total_weight(const Terms& terms) {
  double sum = 0;
  for (const Term& term : terms.list) sum += term.weight;
  return sum;
}

Terms only(int64_t label) {
  return {.list = {{.label = label}}};
}

Terms guidance(int64_t label, double scale, GuidedChannels channels) {
  Terms terms = {.list = {{.label = kNullClass, .weight = 1 - scale, .rest_weight = 0},
                          {.label = label, .weight = scale, .rest_weight = 1}}};
  if (channels == GuidedChannels::first_three) terms.guided_channels = kReferenceGuidedChannels;
  return terms;
}

Terms composition(const std::vector<int64_t>& labels) {
  Terms terms = {.list = {}};
  for (const int64_t label : labels) terms.list.push_back({.label = label});
  return terms;
}

}  // namespace eqm
