// What the paths of images in a folder or tar say about parts and classes. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/data/split.h"

namespace eqm {

// By the ending of the name, in any case: png, jpg, jpeg. Hidden files are none.
bool is_image_name(std::string_view path);

// What a folder of a part may be called: train, test, val, valid, validation.
bool is_part_name(std::string_view name);

struct Arrangement {
  std::vector<size_t> order;         // which of the given paths, sorted bytewise
  std::vector<int64_t> labels;       // one per path in `order`, or empty
  std::vector<std::string> classes;  // sorted bytewise; empty without labels
};

// `paths` are relative, with "/" between elements; those that do not name an image are left out,
// and of equal ones the last counts, as in a tar. First elements that all share are passed over
// while more than a class and a file follow ("dtd/images/"). When all first elements are then
// train, test, val, valid or validation, those of the wanted part are taken; else everything is the
// train part. Of what remains the first element is the class, numbered the same in all parts;
// without folders there are no labels. Kind input, naming `source`, when no image is left or only
// some have a class.
Arrangement arrange_images(const std::vector<std::string>& paths, Split split,
                           const std::string& source);

}  // namespace eqm
