// Describes a model, a run, data, or any other file or folder.
#pragma once

#include <string>

#include "eqm/app/describe_any.h"
#include "eqm/app/host.h"
#include "eqm/base/options.h"

namespace eqm::app {

struct InfoOptions {
  std::string path;  // or the name of a model, a recipe or a data set

  void declare(OptionSet& options);
};

// Lines for people; names and texts in them are as the file has them, control characters included.
Description run(const InfoOptions& options, Host& host, const DescriptionStyle& style = {});

}  // namespace eqm::app
