#include "eqm/app/info.h"

#include "eqm/base/error.h"

namespace eqm::app {

void InfoOptions::declare(OptionSet& options) {
  options.text("path", path, "a file, a folder, or the name of a model, a recipe or a data set");
}

Description run(const InfoOptions& options, Host&, const DescriptionStyle& style) {
  if (options.path.empty()) {
    throw Error(ErrorKind::usage, "nothing to describe was given", "use `eqm info PATH`");
  }
  return describe_any(options.path, style);
}

}  // namespace eqm::app
