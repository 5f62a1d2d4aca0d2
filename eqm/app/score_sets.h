// The sets that `eqm score` compares, brought to the states of a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "eqm/base/log.h"
#include "eqm/codec/codec.h"
#include "eqm/data/source.h"
#include "eqm/data/split.h"
#include "eqm/landscape/model.h"

namespace eqm::app {

struct ScoreSet {
  std::string name;              // as it was asked for
  SourcePtr source;              // the chosen examples
  std::vector<int64_t> indices;  // of each, in the set it was chosen from
  SourcePtr reference = {};      // other examples of the same set, where some are kept aside
};

struct ScoreSetOptions {
  Split split = Split::test;    // a set without parts is taken whole
  int64_t count = 512;          // examples of each set at most, chosen at random
  bool keep_reference = false;  // as many others are kept aside, half at most
  int64_t jpeg = 0;             // quality that images are re-encoded with; 0: none
  std::shared_ptr<Logger> log = silent_logger();  // warned of pictures whose colours change
};

// `name` is a data set (open_source.h), "constant" or "noise" (made_images.h). Images are cropped
// and scaled to those the model knows, and then re-encoded; examples of another shape are an input
// error, and so is re-encoding what is no pixels.
ScoreSet open_score_set(const std::string& name, const Model& model, const Codec& codec,
                        const ScoreSetOptions& options);

// Names separated by commas; blanks around them and empty ones are left out.
std::vector<std::string> names_in(const std::string& list);

}  // namespace eqm::app
