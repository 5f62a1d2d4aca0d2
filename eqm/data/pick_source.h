// Some examples of a source, in a given order.
#pragma once

#include <cstdint>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

// Example i is the inner source's indices[i]. Kind usage when none is left or an index is not
// there.
SourcePtr pick_source(SourcePtr inner, std::vector<int64_t> indices);

// `count` indices of a source of `size`, chosen by chance but always the same, and all the others.
struct Choice {
  std::vector<int64_t> chosen, rest;
};
Choice choose_examples(int64_t size, int64_t count);

}  // namespace eqm
