#include "eqm/base/toml.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm {
namespace {

std::string place(std::string_view origin, const toml::source_region& source) {
  return fmt::format("{}, line {}", origin, source.begin.line);
}

// The keys of the set that live in this table, for suggestions.
std::vector<std::string> keys(const OptionSet& options) {
  std::vector<std::string> keys;
  for (const Option& option : options.options()) keys.push_back(option.key());
  return keys;
}

[[noreturn]] void refuse_key(const OptionSet& options, const std::string& key,
                             const std::string& where) {
  const size_t dot = key.rfind('.');
  const std::string name = dot == std::string::npos ? key : key.substr(dot + 1);
  std::string hint = suggestion(key, keys(options));
  if (const Option* option = options.find(name)) {
    hint = option->section.empty()
               ? fmt::format("'{}' belongs at the top of the file, before any table", name)
               : fmt::format("'{}' belongs in the table [{}]", name, option->section);
  } else if (const std::string close = nearest(name, options.names()); !close.empty()) {
    hint = fmt::format("did you mean '{}'?", options.find(close)->key());
  }
  throw Error(ErrorKind::input, fmt::format("{}: unknown key '{}'", where, key), hint);
}

void read_entry(OptionSet& options, const std::string& key, const toml::node& node,
                std::string_view origin) {
  const std::string where = place(origin, node.source());
  const Option* option = nullptr;
  for (const Option& candidate : options.options()) {
    if (candidate.key() == key) option = &candidate;
  }
  if (!option) refuse_key(options, key, where);
  OptionValue value;
  if (const auto* text = node.as_string()) {
    value = text->get();
  } else if (const auto* whole = node.as_integer()) {
    value = whole->get();
  } else if (const auto* number = node.as_floating_point()) {
    value = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value = truth->get();
  } else {
    throw Error(ErrorKind::input,
                fmt::format("{}: '{}' is neither text, a number nor true/false", where, key),
                fmt::format("{} takes {}", key, option->type));
  }
  try {
    options.set_value(*option, value, key);
  } catch (const Error& error) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", where, error.what()), error.hint());
  }
}

void read_table(OptionSet& options, const toml::table& table, const std::string& prefix,
                std::string_view origin) {
  for (const auto& [key, node] : table) {
    const std::string full = prefix.empty() ? std::string(key.str())
                                            : fmt::format("{}.{}", prefix, key.str());
    if (const toml::table* inner = node.as_table()) {
      read_table(options, *inner, full, origin);
    } else {
      read_entry(options, full, node, origin);
    }
  }
}

}  // namespace

void read_toml(OptionSet& options, std::string_view text, std::string_view origin) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {}", place(origin, error.source()), error.description()),
                "the file must be valid TOML: key = value, text in double quotes");
  }
  read_table(options, table, "", origin);
}

void read_toml_file(OptionSet& options, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io_error_from_errno("open", path.string());
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (file.bad() || std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::io, fmt::format("cannot read '{}'", path.string()),
                "it must be a TOML file");
  }
  read_toml(options, text, path.string());
}

namespace {

std::string toml_literal(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    std::ostringstream quoted;
    quoted << toml::value<std::string>(*text);
    return quoted.str();
  }
  if (const auto* number = std::get_if<double>(&value)) {
    const std::string text = fmt::format("{}", *number);
    return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
  }
  return to_text(value);
}

}  // namespace

std::string to_toml(const OptionSet& options) {
  std::string out;
  // Top-level keys must precede every table.
  for (const Option& option : options.options()) {
    if (!option.section.empty()) continue;
    out += fmt::format("{} = {}  # {}\n", option.name, toml_literal(option.get()), option.help);
  }
  std::vector<std::string> sections;
  for (const Option& option : options.options()) {
    bool known = option.section.empty();
    for (const std::string& section : sections) known = known || section == option.section;
    if (!known) sections.push_back(option.section);
  }
  for (const std::string& section : sections) {
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section);
    for (const Option& option : options.options()) {
      if (option.section != section) continue;
      out += fmt::format("{} = {}  # {}\n", option.name, toml_literal(option.get()), option.help);
    }
  }
  return out;
}

}  // namespace eqm
