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
  int64_t posteriors = 0;      // as an Example has them

  bool operator==(const Layout&) const = default;

  size_t bytes() const;
  // Of one example that is drawn: without the other posteriors, and without variances.
  std::vector<int64_t> state_shape() const;
  // Of one posterior alone; the layout itself where there are none.
  Layout of_one_view() const;
};

// That of an example.
Layout layout_of(const Example& example);

// That of the first example that can be read. Throws the error of the very first one when none can.
Layout layout_of(const Source& source);

// Kind input, with `name` and both shapes, when the example is another.
void require_layout(const Example& example, const Layout& layout, const std::string& name);

// The same for what is known to be whole.
void require_layout(const Layout& own, const Layout& layout, const std::string& name);

// "U8 [3, 32, 32]"
std::string describe(const Layout& layout);

}  // namespace eqm
