// Mixtures as people write them: "coat:1, b.safetensors@digit-3:0.5". A part is a label, of another
// model where one is named before an @, and a weight behind a colon, 1 where there is none. A name
// with a comma, an @ or a colon in it may stand in double quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace eqm {

struct MixPart {
  std::string model;  // empty where none is named
  std::string label;  // as it is written
  double weight = 1;
  // The part without its weight: what a class may be called whose name has an @ in it. Empty where
  // quotes say what is meant.
  std::string plain;
};

// At least one part; names are not looked up. Kind usage for weights that are no finite numbers,
// for all weights 0, quotes that are not closed and a missing name on either side of an @.
std::vector<MixPart> mix_parts(std::string_view text);

}  // namespace eqm
