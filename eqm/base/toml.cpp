#include "eqm/base/toml.h"

#include <cmath>
#include <fstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

// toml++ 3.3 used as headers in a debug build aborts on `[=]`, just before code that reports it
// properly.
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"

namespace eqm {
namespace {

// Several times what all options need. Bounds the memory a wrong file can ask for, and the depth of
// its tables: toml++ walks them recursively.
constexpr size_t kMaxBytes = size_t{1} << 14;
constexpr int kMaxDepth = 8;

std::string place(std::string_view origin, const toml::source_region& source) {
  return fmt::format("{}, line {}", origin, source.begin.line);
}

// All keys of the set, for suggestions.
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

bool has_section(const OptionSet& options, const std::string& section) {
  for (const Option& option : options.options()) {
    if (option.section == section) return true;
  }
  return false;
}

void read_table(OptionSet& options, const toml::table& table, const std::string& prefix, int depth,
                std::string_view origin) {
  for (const auto& [key, node] : table) {
    const std::string full =
        prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
    const toml::table* inner = node.as_table();
    if (inner && inner->empty() && !has_section(options, full)) {
      refuse_key(options, full, place(origin, node.source()));
    }
    if (inner && depth < kMaxDepth) {
      read_table(options, *inner, full, depth + 1, origin);
    } else {
      read_entry(options, full, node, origin);
    }
  }
}

}  // namespace

void read_toml(OptionSet& options, std::string_view text, std::string_view origin) {
  if (text.size() > kMaxBytes) {
    throw Error(ErrorKind::input,
                fmt::format("{}: more than the {} bytes allowed for options", origin, kMaxBytes),
                "is it a TOML file?");
  }
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {}", place(origin, error.source()), error.description()),
                "the file must be valid TOML: key = value, text in double quotes");
  }
  read_table(options, table, "", 1, origin);
}

void read_toml_file(OptionSet& options, const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    // Opening a pipe could wait for ever.
    throw Error(ErrorKind::io,
                fmt::format("cannot read '{}': it is not a regular file", path.string()),
                "give the path of a TOML file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw io_error_from_errno("open", path.string());
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw io_error_from_errno("read", path.string());
  text.resize(static_cast<size_t>(file.gcount()));
  read_toml(options, text, path.string());
}

namespace {

// A basic string: one line, whatever it holds.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (letter == '"' || letter == '\\') out += '\\';
    if (code < 0x20 || code == 0x7f) {
      out += fmt::format("\\u{:04X}", code);
    } else {
      out += letter;
    }
  }
  return out + '"';
}

std::string toml_literal(const OptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
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
