#include "eqm/app/lab/settings.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm::app {
namespace {

void require_free(const std::string& key, const OptionSet& options, const std::string& origin) {
  static const std::set<std::string> kOfTheLab = {"out", "resume", "init", "npz", "pictures"};
  const Option* option = options.find(key);
  if (!kOfTheLab.contains(key) && !(option != nullptr && option->section == "runtime")) return;
  throw Error(ErrorKind::input, fmt::format("{}: the lab itself sets '{}'", origin, key),
              key == "init" ? "name the model to begin with by `from`" : "leave it out");
}

}  // namespace

Settings settings_in(const std::string& text, const std::string& origin) {
  Settings settings;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw Error(ErrorKind::input, fmt::format("{}: '{}' is not key=value", origin, word),
                  "write options with blanks between them, as in \"rule=gd limit=100\"");
    }
    settings.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return settings;
}

Settings changed(Settings base, const Settings& changes) {
  for (const auto& change : changes) {
    std::erase_if(base, [&](const auto& old) { return old.first == change.first; });
    base.push_back(change);
  }
  return base;
}

void apply(const Settings& settings, OptionSet& options, const std::string& origin) {
  for (const auto& [key, text] : settings) {
    require_free(key, options, origin);
    try {
      options.set_text(key, text);
    } catch (const Error& error) {
      throw Error(ErrorKind::input, fmt::format("{}: {}", origin, error.what()), error.hint());
    }
  }
}

Settings with_data(Settings settings, const std::filesystem::path& data) {
  constexpr std::string_view kPlace = "{data}";
  for (auto& [key, text] : settings) {
    for (size_t at = 0; (at = text.find(kPlace, at)) != std::string::npos;) {
      text.replace(at, kPlace.size(), data.string());
      at += data.string().size();
    }
  }
  return settings;
}

std::string text_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, value);
  }
  return text;
}

}  // namespace eqm::app
