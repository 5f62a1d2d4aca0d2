// Opens data sets for verbs that themselves know the size and the channels images should have.
#pragma once

#include <memory>
#include <string>

#include "eqm/base/log.h"
#include "eqm/data/open_source.h"

namespace eqm::app {

// Warns when pictures lose their colours or are given three equal channels. `whose` says what they
// are brought to: "the model's pictures".
ColourNotice colour_warning(const std::string& what, const std::string& whose,
                            std::shared_ptr<Logger> log);

// As open_source(), with a hint for sets that hold no images.
SourcePtr open_images(const std::string& what, const SourceOptions& options);

// What was not trained on: the test part of a set, or all of a set that has no parts.
SourcePtr open_unseen(const std::string& what, SourceOptions options);

}  // namespace eqm::app
