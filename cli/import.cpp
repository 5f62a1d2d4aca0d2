// eqm import: weights of the reference implementation, of SiT, or of Flow Matching's U-Net, as a
// model file of ours.
#include "eqm/app/import.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/backbone/architecture_text.h"

namespace eqm::cli {
namespace {

void print_topic(const std::string& topic, const std::string& text) {
  std::cout << fmt::format("{:<14} {}\n", topic, text);
}

void print_import(const ImportReport& report) {
  print_topic("weights", fmt::format("{}, {} tensors, {:.1f} MB",
                                     report.chosen.empty() ? "all" : report.chosen, report.tensors,
                                     static_cast<double>(report.bytes) / 1e6));
  print_topic("architecture", architecture_text(report.architecture));
  print_topic("objective", name_of(report.objective.kind));
  if (!report.class_names.empty()) {
    print_topic("classes", fmt::format("{}, from {} to {}", report.class_names.size(),
                                       report.class_names.front(), report.class_names.back()));
  }
}

}  // namespace

std::unique_ptr<Verb> import_verb() {
  return verb_of<ModelImportOptions>(use_named("import"),
                                     [](const ModelImportOptions& options, Host& host) {
                                       print_import(app::run(options, host).report);
                                       return false;
                                     });
}

}  // namespace eqm::cli
