// eqm info: what a file or folder is.
#include "eqm/app/info.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/option_text.h"
#include "cli/verb.h"
#include "eqm/io/printable.h"

namespace eqm::cli {
namespace {

// The program has verbs of its own beside the library's uses.
std::vector<Use> uses_of_program() {
  std::vector<Use> all;
  for (const auto& verb : all_verbs()) all.push_back(verb->use());
  return all;
}

}  // namespace

std::unique_ptr<Verb> info_verb() {
  return verb_of<InfoOptions>(use_named("info"), [](const InfoOptions& options, Host& host) {
    for (const auto& [topic, text] :
         app::run(options, host, {.known_uses = uses_of_program(), .option = as_flag})) {
      std::cout << fmt::format("{:<14} {}\n", printable(topic), printable(text));
    }
    return false;
  });
}

}  // namespace eqm::cli
