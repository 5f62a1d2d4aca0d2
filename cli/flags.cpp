#include "cli/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/toml.h"

namespace eqm::cli {
namespace {

std::string description(const Option& option) {
  std::string text = option.help;
  if (const std::string range = option.range.text(); !range.empty()) text += fmt::format(" ({})", range);
  return text;
}

std::string type_name(const Option& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  if (std::holds_alternative<int64_t>(option.standard)) return "COUNT";
  if (std::holds_alternative<double>(option.standard)) return "NUMBER";
  return "TEXT";
}

}  // namespace

Flags::Flags(CLI::App& app, OptionSet& options) : options_(options) {
  app.allow_extras();  // judged in apply(), with suggestions
  app.add_option("--config", config_, "TOML file with any of these options; flags win over it")
      ->type_name("FILE");
  for (const Option& option : options.options()) {
    const std::string name = option.name;
    const std::string flag = "--" + name;
    CLI::Option* added = nullptr;
    if (std::holds_alternative<bool>(option.standard)) {
      added = app.add_flag_function(
          fmt::format("{},!--no-{}", flag, name),
          [this, name](int64_t count) { given_[name] = count > 0 ? "true" : "false"; },
          description(option));
    } else {
      added = app.add_option_function<std::string>(
          flag, [this, name](const std::string& text) { given_[name] = text; }, description(option));
      added->type_name(type_name(option))->default_str(to_text(option.standard));
    }
    if (!option.section.empty()) added->group(option.section);
  }
}

void Flags::apply(const CLI::App& app) {
  for (const std::string& extra : app.remaining()) {
    const std::string word = extra.substr(0, extra.find('='));
    if (!word.starts_with("-")) {
      throw Error(ErrorKind::usage, fmt::format("unexpected argument '{}'", extra),
                  fmt::format("options start with --; see `eqm {} --help`", app.get_name()));
    }
    std::vector<std::string> names;
    for (const std::string& name : options_.names()) names.push_back("--" + name);
    names.emplace_back("--config");
    const std::string close = nearest(word, names);
    throw Error(ErrorKind::usage, fmt::format("unknown option {}", word),
                close.empty() ? fmt::format("see `eqm {} --help`", app.get_name())
                              : fmt::format("did you mean {}?", close));
  }
  if (!config_.empty()) read_toml_file(options_, config_);
  for (const auto& [name, text] : given_) options_.set_text(name, text, "--" + name);
}

}  // namespace eqm::cli
