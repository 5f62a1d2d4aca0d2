// How `--help` looks: a name and a sentence for each option, wrapped, with what it may be and is.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace eqm::cli {

class HelpFormat final : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
};

}  // namespace eqm::cli
