#include "cli/arguments.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"

namespace eqm::cli {
namespace {

constexpr std::array<std::string_view, 5> kSwitches = {"--help", "-h", "--version", "--quiet",
                                                       "--verbose"};

}  // namespace

void check_words(const std::vector<std::string>& words, const std::string& see) {
  for (const std::string& word : words) {
    if (word == "++") {
      throw Error(ErrorKind::usage, "unexpected argument '++'", "options start with --; " + see);
    }
    const size_t equals = word.find('=');
    if (!word.starts_with("-") || equals == std::string::npos) continue;
    const std::string name = word.substr(0, equals);
    if (std::find(kSwitches.begin(), kSwitches.end(), name) != kSwitches.end()) {
      throw Error(ErrorKind::usage, fmt::format("{} takes no value", name), see);
    }
    if (equals + 1 == word.size() && name.size() > 2) refuse_missing_value(name, see);
  }
}

void check_repeats(const CLI::App& app, const std::string& see) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() < 2) continue;
    std::vector<std::string> names;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    throw Error(ErrorKind::usage,
                fmt::format("{} is given more than once", fmt::join(names, " or ")),
                "give each option once; " + see);
  }
}

void refuse_words(const CLI::ParseError& error, const std::vector<std::string>& words,
                  const std::string& see) {
  // All values are taken as they are, so that words can only run out.
  const bool ran_out = dynamic_cast<const CLI::ArgumentMismatch*>(&error) && !words.empty();
  if (ran_out) refuse_missing_value(words.back(), see);
  throw Error(ErrorKind::usage, error.what(), see);
}

void refuse_missing_value(const std::string& flag, const std::string& see) {
  throw Error(ErrorKind::usage, fmt::format("the value of {} is missing", flag), see);
}

}  // namespace eqm::cli
