// Labels as people write them: by class name or number, and mixtures of them. In lists and mixtures
// a name may stand in double quotes (io/quoted_list.h).
#pragma once

#include <string>
#include <vector>

#include "eqm/landscape/model.h"
#include "eqm/landscape/terms.h"

namespace eqm {

// A class by name or number, or "null". An unknown one is a usage error with the nearest name.
int64_t label_of(const Model& model, const std::string& text);

// Whether a class has this very name.
bool has_class(const Model& model, const std::string& name);

// Labels separated by commas; "all" for every class, unless one is called so.
std::vector<int64_t> labels_of(const Model& model, const std::string& text);

// All of them, 0 to the last.
std::vector<int64_t> every_class(const Model& model);

// "coat:1,bag:0.5,null:-0.5": labels of this model and their weights (mix.h); an omitted weight is
// 1. Kind usage where another model is named.
Terms mix_of(const Model& model, const std::string& text);

// What to call a label: its class name, or its number.
std::string label_name(const Model& model, int64_t label);

// How samples are numbered, wherever several classes are drawn: in turn. Any run of consecutive
// samples then shows all classes (nearly) equally often, which evaluators that take a set apart in
// its order rely on.
constexpr int64_t class_in_turn(int64_t sample, int64_t classes) {
  return sample % classes;
}

// The same for samples 0 to count: [count] int64; undefined where there are no classes.
Tensor labels_in_turn(int64_t classes, int64_t count);
Tensor labels_in_turn(const Model& model, int64_t count);

// The same of chosen labels, as labels_of() reads them; empty: all classes. Undefined where there
// are no classes, or only the null class was chosen.
Tensor labels_in_turn(const Model& model, const std::string& chosen, int64_t count);

}  // namespace eqm
