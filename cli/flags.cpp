#include "cli/flags.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/arguments.h"
#include "cli/option_text.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/option_aliases.h"
#include "eqm/base/option_keys.h"
#include "eqm/base/shell_word.h"
#include "eqm/base/toml.h"

namespace eqm::cli {
namespace {

std::string type_name(const Option& option) {
  if (!option.choices.empty()) return fmt::format("{}", fmt::join(option.choices, "|"));
  return value_word(option);
}

std::string help_hint(const CLI::App& app) {
  return fmt::format("see `eqm {} --help`", app.get_name());
}

}  // namespace

Flags::Flags(CLI::App& app, Verb& verb) : app_(app), verb_(verb) {
  app.allow_extras();  // judged in apply(), with suggestions
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // judged as well
  app.add_option(config_flag(), config_, kConfigHelp)->type_name("FILE");
  for (const Option& option : verb.options().options()) {
    const std::string name = option.name;
    const std::string flag = (name == verb.use().subject ? name + ",--" : "--") + name;
    CLI::Option* added = nullptr;
    if (is_switch(option)) {
      std::string help = help_text(option);
      if (std::get<bool>(option.standard)) help += fmt::format(" (on; --no-{} for off)", name);
      added = app.add_flag(fmt::format("--{0},!--no-{0}", name), std::as_const(help));
      added->each([this, name](const std::string& text) { given_[name] = text; });
    } else {
      added = app.add_option_function<std::string>(
          flag, [this, name](const std::string& text) { given_[name] = text; }, help_text(option));
      added->type_name(type_name(option))->default_str(to_text(option.standard));
    }
    if (!option.section.empty()) added->group(option.section);
  }
}

std::string Flags::config_flag() const {
  return as_flag(verb_.use().file_key);
}

std::vector<std::string> Flags::known_words() const {
  std::vector<std::string> words = {config_flag(), "--help", "-h", "--quiet", "--verbose"};
  for (const Option& option : verb_.options().options()) {
    words.push_back("--" + option.name);
    if (is_switch(option)) words.push_back("--no-" + option.name);
  }
  return words;
}

void Flags::refuse_unknown() const {
  // What a verb does not know falls through to the program: its extras are ours as well.
  const std::vector<std::string> extras = app_.get_parent()->remaining(true);
  if (extras.empty()) return;
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const std::string see = help_hint(app_);
  if (!word.starts_with("-")) {
    const bool resumes = given_.contains("resume") && !given_.contains("out");
    throw Error(ErrorKind::usage, fmt::format("unexpected argument '{}'", extras.front()),
                resumes ? fmt::format("--resume takes no value; did you mean --resume --out {}?",
                                      shell_word(extras.front()))
                        : "options start with --; " + see);
  }
  throw Error(ErrorKind::usage, fmt::format("unknown option {}", word), hint_for(word, see));
}

std::string Flags::hint_for(const std::string& word, const std::string& see) const {
  if (const Option* meant = option_meant_by(word, verb_.options())) {
    return fmt::format("did you mean --{}? ({})", meant->name, render_keys(meant->help, as_flag));
  }
  // A file of options has one flag, whose name depends on the verb.
  for (const char* file_of_options : {"--config", "--recipe"}) {
    if (word == file_of_options) return fmt::format("did you mean {}?", config_flag());
  }
  const std::string close = nearest(word, known_words());
  return close.empty() ? see : fmt::format("did you mean {}?", close);
}

void Flags::refuse_swallowed_flags() const {
  const std::vector<std::string> known = known_words();
  const auto check = [&](const std::string& flag, const std::string& text) {
    const std::string word = text.substr(0, text.find('='));
    const bool is_flag = std::find(known.begin(), known.end(), word) != known.end();
    if (is_flag) refuse_missing_value(flag, help_hint(app_));
  };
  if (app_.count(config_flag()) > 0) check(config_flag(), config_);
  for (const auto& [name, text] : given_) check("--" + name, text);
}

void Flags::check() const {
  refuse_swallowed_flags();
  refuse_unknown();
}

void Flags::apply() {
  if (const std::string saved = verb_.saved_config(given_); !saved.empty()) {
    read_toml_file(verb_.options(), saved);
  }
  if (app_.count(config_flag()) > 0) {
    read_toml_file(verb_.options(), verb_.config_file(config_),
                   [&](const std::string& base) { return verb_.config_file(base); });
  }
  verb_.before_flags(given_);
  for (const auto& [name, text] : given_) verb_.options().set_text(name, text);
}

}  // namespace eqm::cli
