// Sets come in two parts: one to learn from and one to test with.
#pragma once

#include "eqm/base/names.h"

namespace eqm {

enum class Split { train, test };

inline const Names<Split>& split_names() {
  static const Names<Split> names = {{"train", Split::train}, {"test", Split::test}};
  return names;
}

}  // namespace eqm
