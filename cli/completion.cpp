// eqm completion: a script that completes the command line, from the declared options. Names of
// models, recipes and data sets are those of the moment at which it is written.
#include <algorithm>
#include <iostream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/embedded_text.h"
#include "cli/option_text.h"
#include "cli/verb.h"
#include "eqm/app/known_values.h"
#include "eqm/base/option_keys.h"
#include "eqm/base/shell_word.h"

namespace eqm::cli {
namespace {

// One flag of a verb, as all shells need it.
struct FlagLine {
  std::string name;  // without dashes
  std::string help;
  std::string word;                 // what stands for its value; empty for switches
  std::vector<std::string> values;  // known ones
  bool path = false;
};

std::string joined(const std::vector<std::string>& parts, const char* separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// With a backslash before each of these letters.
std::string escaped(const std::string& text, std::string_view letters) {
  std::string safe;
  for (const char letter : text) {
    if (letters.find(letter) != std::string_view::npos) safe += '\\';
    safe += letter;
  }
  return safe;
}

std::vector<FlagLine> flags_of(const Verb& verb) {
  std::vector<FlagLine> flags = {
      {"help", "shows the options", "", {}},
      {"quiet", "no progress, warnings only", "", {}},
      {"verbose", "says more", "", {}},
      {verb.use().file_key, "TOML file of options", "FILE", known_option_files(verb.use()), true}};
  for (const Option& option : verb.options().options()) {
    std::string help = render_keys(option.help, as_flag);
    help.resize(std::min(help.size(), help.find(';')));  // its first clause
    if (is_switch(option)) {
      flags.push_back({option.name, help, "", {}});
      flags.push_back({"no-" + option.name, "not: " + help, "", {}});
    } else {
      flags.push_back({option.name, help, value_word(option), known_values(verb.use(), option),
                       may_be_path(option)});
    }
  }
  return flags;
}

// Null for verbs that take none.
const Option* positional_of(const Verb& verb) {
  return verb.options().find(verb.use().subject);
}

// A list of words for a shell to read again: names of files may hold anything.
std::string shell_words(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) words.push_back(shell_word(value));
  return joined(words, " ");
}

// In single quotes of fish, which knows escapes in them.
std::string fish_quoted(const std::string& text) {
  return "'" + escaped(text, "'\\") + "'";
}

// A list of words for `complete -a`, which fish reads again: each is quoted by itself, so that a
// name with a blank stays one word.
std::string fish_words(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) {
    words.push_back(shell_word(value) == value ? value : fish_quoted(value));
  }
  return fish_quoted(joined(words, " "));
}

// Brackets end zsh's descriptions.
std::string zsh_text(const std::string& text) {
  return escaped(text, "[]:\\");
}

std::string bash_case(const Verb& verb) {
  std::vector<std::string> all, plain, paths;
  std::string cases;
  for (const FlagLine& flag : flags_of(verb)) {
    all.push_back("--" + flag.name);
    if (flag.word.empty()) continue;
    if (!flag.values.empty()) {
      cases += fmt::format("        --{}) values={}; files={} ;;\n", flag.name,
                           single_quoted(shell_words(flag.values)), flag.path ? 1 : 0);
    } else {
      (flag.path ? paths : plain).push_back("--" + flag.name);
    }
  }
  if (!paths.empty()) cases += fmt::format("        {}) files=1 ;;\n", fmt::join(paths, "|"));
  if (!plain.empty()) cases += fmt::format("        {}) ;;\n", fmt::join(plain, "|"));
  bool files = false;
  if (const Option* option = positional_of(verb)) {
    const std::vector<std::string> first = known_values(verb.use(), *option);
    all.insert(all.end(), first.begin(), first.end());
    files = may_be_path(*option);
  }
  return fmt::format(
      "    {})\n      case $before in\n{}        *) values={}; files={} ;;\n      esac ;;",
      verb.name(), cases, single_quoted(shell_words(all)), files ? 1 : 0);
}

std::string zsh_action(const std::vector<std::string>& values, bool path) {
  if (values.empty()) return path ? "_files" : " ";
  return path ? fmt::format(" _eqm_names_or_files {}", shell_words(values))
              : fmt::format("({})", shell_words(values));
}

std::string zsh_case(const Verb& verb) {
  std::string specs;
  for (const FlagLine& flag : flags_of(verb)) {
    std::string spec =
        fmt::format("--{}{}[{}]", flag.name, flag.word.empty() ? "" : "=", zsh_text(flag.help));
    if (!flag.word.empty())
      spec += fmt::format(":{}:{}", flag.word, zsh_action(flag.values, flag.path));
    specs += fmt::format(" \\\n            {}", single_quoted(spec));
  }
  if (const Option* option = positional_of(verb)) {
    specs += fmt::format(" \\\n            {}",
                         single_quoted(fmt::format(
                             "1:{}:{}", option->name,
                             zsh_action(known_values(verb.use(), *option), may_be_path(*option)))));
  }
  return fmt::format("        {})\n          _arguments{} ;;", verb.name(), specs);
}

std::string bash_completion(const Verbs& verbs) {
  std::vector<std::string> names, cases;
  for (const auto& verb : verbs) {
    names.push_back(verb->name());
    cases.push_back(bash_case(*verb));
  }
  return filled_text("completion/eqm.bash",
                     {{"VERBS", joined(names, " ")}, {"CASES", joined(cases, "\n")}});
}

std::string zsh_completion(const Verbs& verbs) {
  std::vector<std::string> names, cases;
  for (const auto& verb : verbs) {
    names.push_back("    " + single_quoted(verb->name() + ":" + zsh_text(verb->use().summary)));
    cases.push_back(zsh_case(*verb));
  }
  return filled_text("completion/eqm.zsh",
                     {{"VERBS", joined(names, "\n")}, {"CASES", joined(cases, "\n")}});
}

std::string fish_completion(const Verbs& verbs) {
  std::string script =
      "# Completion of eqm for fish: eqm completion fish\n"
      "complete -c eqm -f\n"
      "complete -c eqm -n __fish_use_subcommand -l version -d 'shows the version'\n";
  for (const auto& entry : verbs) {
    const Verb& verb = *entry;
    const std::string condition = fish_quoted("__fish_seen_subcommand_from " + verb.name());
    script += fmt::format("complete -c eqm -n __fish_use_subcommand -a {} -d {}\n", verb.name(),
                          fish_quoted(verb.use().summary));
    if (const Option* option = positional_of(verb)) {
      script += fmt::format("complete -c eqm -n {} {}-a {}\n", condition,
                            may_be_path(*option) ? "-F " : "",
                            fish_words(known_values(verb.use(), *option)));
    }
    for (const FlagLine& flag : flags_of(verb)) {
      script += fmt::format("complete -c eqm -n {} -l {}", condition, flag.name);
      if (!flag.word.empty()) script += flag.path ? " -r -F" : " -x";
      if (!flag.values.empty()) script += " -a " + fish_words(flag.values);
      script += " -d " + fish_quoted(flag.help) + "\n";
    }
  }
  return script;
}

using Writer = std::string (*)(const Verbs&);

const Names<Writer>& shells() {
  static const Names<Writer> names = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  return names;
}

struct CompletionOptions {
  Writer writer = bash_completion;

  void declare(OptionSet& options) {
    options.choice("shell", writer, shells(), "whose completion");
  }
};

}  // namespace

std::unique_ptr<Verb> completion_verb() {
  return verb_of<CompletionOptions>(
      use_of<CompletionOptions>("completion", "Writes a completion script for bash, zsh or fish",
                                "shell"),
      [](const CompletionOptions& options, Host&) {
        std::cout << options.writer(all_verbs());
        return false;
      });
}

}  // namespace eqm::cli
