// What the examples of a set have in common, so that they fit into one batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

struct Layout {
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape;  // of one example

  bool operator==(const Layout&) const = default;

  size_t bytes() const;
};

// That of the first example that can be read. Throws the error of the very first one when none can.
Layout layout_of(const Source& source);

// Kind input, with `name` and both shapes, when the example is another.
void require_layout(const Example& example, const Layout& layout, const std::string& name);

// "U8 [3, 32, 32]"
std::string describe(const Layout& layout);

}  // namespace eqm
