// Flags from declared options, by CLI11: one flag per option, sections as headings, TOML by
// --config.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/verb.h"
#include "eqm/base/options.h"

namespace eqm::cli {

// The flags of one verb as they were given on the command line.
class Flags {
 public:
  // Adds a flag for every option. All three must outlive this.
  Flags(CLI::App& app, Verb& verb, OptionSet& options);

  // Throws a usage error for anything on the command line that is no option, with the name that was
  // probably meant. `app` is the verb that was given to the constructor, here and below.
  void check(const CLI::App& app) const;

  // Sets the options: from what the verb has saved, from the TOML file if one was given, then from
  // the flags, which win.
  void apply(const CLI::App& app);

 private:
  std::vector<std::string> known_words() const;
  void refuse_unknown(const CLI::App& app) const;
  // What an unknown option may have been meant for, or `see`.
  std::string hint_for(const std::string& word, const std::string& see) const;
  // `--out --no-flow` would make a folder named --no-flow.
  void refuse_swallowed_flags(const CLI::App& app) const;

  Verb& verb_;
  OptionSet& options_;
  std::string config_;
  std::map<std::string, std::string> given_;  // name to text
};

}  // namespace eqm::cli
