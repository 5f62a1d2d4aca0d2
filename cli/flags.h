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
  // Adds a flag for every option of the verb. Both must outlive this.
  Flags(CLI::App& app, Verb& verb);

  // Throws a usage error for anything on the command line that is no option, with the name that was
  // probably meant.
  void check() const;

  // Sets the options: from what the verb has saved, from the TOML file if one was given, then from
  // the flags, which win.
  void apply();

 private:
  std::string config_flag() const;  // for a file of options
  std::vector<std::string> known_words() const;
  void refuse_unknown() const;
  // What an unknown option may have been meant for, or `see`.
  std::string hint_for(const std::string& word, const std::string& see) const;
  // `--out --no-flow` would make a folder named --no-flow.
  void refuse_swallowed_flags() const;

  CLI::App& app_;
  Verb& verb_;
  std::string config_;
  std::map<std::string, std::string> given_;  // name to text
};

}  // namespace eqm::cli
