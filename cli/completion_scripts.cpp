#include "cli/completion_scripts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/shell_word.h"
#include "eqm/base/option_keys.h"

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

std::string first_clause(const std::string& help) {
  return help.substr(0, help.find(';'));
}

std::vector<FlagLine> flags_of(const VerbOutline& entry) {
  std::vector<FlagLine> flags = {{"help", "shows the options", "", {}},
                                 {"quiet", "no progress, warnings only", "", {}},
                                 {"verbose", "says more", "", {}},
                                 {entry.verb->config_flag(), "TOML file of options", "FILE",
                                  known_configs(*entry.verb), true}};
  for (const Option& option : entry.options.options()) {
    const std::string help = first_clause(render_keys(option.help, as_flag));
    if (is_switch(option)) {
      flags.push_back({option.name, help, "", {}});
      flags.push_back({"no-" + option.name, "not: " + help, "", {}});
    } else {
      flags.push_back({option.name, help, value_word(option), known_values(*entry.verb, option),
                       may_be_path(option)});
    }
  }
  return flags;
}

// Null for verbs that take none.
const Option* positional_of(const VerbOutline& entry) {
  return entry.options.find(entry.verb->positional());
}

// A list of words for a shell to read again: names of files may hold anything.
std::string shell_words(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) words.push_back(shell_word(value));
  return fmt::format("{}", fmt::join(words, " "));
}

// In single quotes of fish, which knows escapes in them.
std::string fish_quoted(const std::string& text) {
  std::string safe = "'";
  for (const char letter : text) {
    if (letter == '\'' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe + "'";
}

// A list of words for `complete -a`, which fish reads again: each is quoted by itself, so that a
// name with a blank stays one word.
std::string fish_words(const std::vector<std::string>& values) {
  std::vector<std::string> words;
  for (const std::string& value : values) {
    words.push_back(shell_word(value) == value ? value : fish_quoted(value));
  }
  return fish_quoted(fmt::format("{}", fmt::join(words, " ")));
}

// Brackets end zsh's descriptions.
std::string zsh_text(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

std::string bash_case(const VerbOutline& entry) {
  std::vector<std::string> all, plain, paths;
  std::string cases;
  for (const FlagLine& flag : flags_of(entry)) {
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
  if (const Option* option = positional_of(entry)) {
    const std::vector<std::string> first = known_values(*entry.verb, *option);
    all.insert(all.end(), first.begin(), first.end());
    files = may_be_path(*option);
  }
  return fmt::format(
      "    {})\n      case $before in\n{}        *) values={}; files={} ;;\n      esac ;;\n",
      entry.verb->name(), cases, single_quoted(shell_words(all)), files ? 1 : 0);
}

std::string zsh_action(const std::vector<std::string>& values, bool path) {
  if (values.empty()) return path ? "_files" : " ";
  return path ? fmt::format(" _eqm_names_or_files {}", shell_words(values))
              : fmt::format("({})", shell_words(values));
}

std::string zsh_case(const VerbOutline& entry) {
  std::string specs;
  for (const FlagLine& flag : flags_of(entry)) {
    std::string spec =
        fmt::format("--{}{}[{}]", flag.name, flag.word.empty() ? "" : "=", zsh_text(flag.help));
    if (!flag.word.empty())
      spec += fmt::format(":{}:{}", flag.word, zsh_action(flag.values, flag.path));
    specs += fmt::format(" \\\n            {}", single_quoted(spec));
  }
  if (const Option* option = positional_of(entry)) {
    specs += fmt::format(" \\\n            {}",
                         single_quoted(fmt::format("1:{}:{}", option->name,
                                                   zsh_action(known_values(*entry.verb, *option),
                                                              may_be_path(*option)))));
  }
  return fmt::format("        {})\n          _arguments{} ;;\n", entry.verb->name(), specs);
}

}  // namespace

std::string bash_completion(const std::vector<VerbOutline>& outline) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const VerbOutline& entry : outline) {
    verbs.push_back(entry.verb->name());
    cases += bash_case(entry);
  }
  return fmt::format(R"(# Completion of eqm for bash: eqm completion bash
_eqm() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before= verb= values= files=0 i
  ((COMP_CWORD > 0)) && before=${{COMP_WORDS[COMP_CWORD-1]}}
  if [[ $word == '=' ]]; then
    word=
  elif [[ $before == '=' ]] && ((COMP_CWORD > 1)); then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    [[ ${{COMP_WORDS[i]}} == -* ]] || {{ verb=${{COMP_WORDS[i]}}; break; }}
  done
  case $verb in
    '') values='{} help --help --version --quiet --verbose' ;;
    help) values='{}' ;;
{}  esac
  mapfile -t COMPREPLY < <(
    compgen -W "$values" -- "$word"
    ((files)) && [[ $word != -* ]] && compgen -f -- "$word"
  )
  ((files)) && compopt -o filenames 2> /dev/null
  return 0
}}
complete -F _eqm eqm
)",
                     fmt::join(verbs, " "), fmt::join(verbs, " "), cases);
}

std::string zsh_completion(const std::vector<VerbOutline>& outline) {
  std::string verbs, cases;
  for (const VerbOutline& entry : outline) {
    verbs += fmt::format("    {}\n",
                         single_quoted(entry.verb->name() + ":" + zsh_text(entry.verb->summary())));
    cases += zsh_case(entry);
  }
  return fmt::format(R"(#compdef eqm
# Completion of eqm for zsh: eqm completion zsh
_eqm_names_or_files() {{
  compadd -- "$@"
  _files
}}
_eqm() {{
  local curcontext="$curcontext" state line
  local -a verbs
  verbs=(
{})
  _arguments -C '--help[shows the options]' '--version[shows the version]' \
    '--quiet[no progress, warnings only]' '--verbose[says more]' \
    '1: :->verb' '*:: :->options' && return
  case $state in
    verb) _describe -t verbs verb verbs ;;
    options)
      case $words[1] in
{}      esac ;;
  esac
}}
if [[ $funcstack[1] == _eqm ]]; then
  _eqm "$@"
else
  compdef _eqm eqm
fi
)",
                     verbs, cases);
}

std::string fish_completion(const std::vector<VerbOutline>& outline) {
  std::string script =
      "# Completion of eqm for fish: eqm completion fish\n"
      "complete -c eqm -f\n"
      "complete -c eqm -n __fish_use_subcommand -l version -d 'shows the version'\n";
  for (const VerbOutline& entry : outline) {
    const std::string verb = entry.verb->name();
    const std::string condition = fish_quoted("__fish_seen_subcommand_from " + verb);
    script += fmt::format("complete -c eqm -n __fish_use_subcommand -a {} -d {}\n", verb,
                          fish_quoted(entry.verb->summary()));
    if (const Option* option = positional_of(entry)) {
      script += fmt::format("complete -c eqm -n {} {}-a {}\n", condition,
                            may_be_path(*option) ? "-F " : "",
                            fish_words(known_values(*entry.verb, *option)));
    }
    for (const FlagLine& flag : flags_of(entry)) {
      script += fmt::format("complete -c eqm -n {} -l {}", condition, flag.name);
      if (!flag.word.empty()) script += flag.path ? " -r -F" : " -x";
      if (!flag.values.empty()) {
        script += " -a " + fish_words(flag.values);
      }
      script += " -d " + fish_quoted(flag.help) + "\n";
    }
  }
  return script;
}

}  // namespace eqm::cli
