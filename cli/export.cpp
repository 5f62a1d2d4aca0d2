// eqm export: a model as one file of its own, in the precision asked for, for us or for PyTorch.
#include "eqm/app/export.h"

#include "cli/verb.h"

namespace eqm::cli {

std::unique_ptr<Verb> export_verb() {
  return verb_of<ModelExportOptions>(use_named("export"),
                                     [](const ModelExportOptions& options, Host& host) {
                                       app::run(options, host);
                                       return false;
                                     });
}

}  // namespace eqm::cli
