#include "eqm/base/toml.h"

#include <algorithm>
#include <fstream>
#include <system_error>
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

namespace fs = std::filesystem;

// Several times what all options need. Bounds the memory a wrong file can ask for, and the depth of
// its tables: toml++ walks them recursively.
constexpr size_t kMaxBytes = size_t{1} << 14;
constexpr int kMaxDepth = 8;

// Files that build on each other, the first included. More cannot be followed by a reader either.
constexpr size_t kMaxBases = 8;

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

toml::table parsed(std::string_view text, std::string_view origin) {
  if (text.size() > kMaxBytes) {
    throw Error(ErrorKind::input,
                fmt::format("{}: more than the {} bytes allowed for options", origin, kMaxBytes),
                "is it a TOML file?");
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    throw Error(ErrorKind::input,
                fmt::format("{}: {}", place(origin, error.source()), error.description()),
                "the file must be valid TOML: key = value, text in double quotes");
  }
}

std::string content_of(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
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
  return text;
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// What `base` says.
const std::string& base_name(const toml::node& base, const fs::path& folder,
                             std::string_view origin) {
  const std::string where = place(origin, base.source());
  const auto* name = base.as_string();
  if (!name || name->get().empty()) {
    throw Error(ErrorKind::input, fmt::format("{}: 'base' is not the name of a file", where),
                "write base = \"other.toml\", with a path relative to this file");
  }
  if (folder.empty()) {
    throw Error(ErrorKind::input, fmt::format("{}: 'base' has no meaning here", where),
                "only a file can build on another file");
  }
  return name->get();
}

// Reads options from a file and those it builds on.
class Inheritance {
 public:
  explicit Inheritance(OptionSet& options, BaseFinder find_base = {})
      : options_(options), find_base_(std::move(find_base)) {}

  void read(std::string_view text, std::string_view origin, const fs::path& folder) {
    toml::table table = parsed(text, origin);
    if (const toml::node* base = table.get("base")) {
      const std::string asked_at = place(origin, base->source());
      read_base(found(base_name(*base, folder, origin), folder, asked_at), asked_at);
      table.erase("base");
    }
    read_table(options_, table, "", 1, origin);
  }

  void read_file(const fs::path& path, const std::string& text) {
    std::error_code ignored;
    open_.push_back(fs::canonical(path, ignored));
    read(text, path.string(), folder_of(path));
    open_.pop_back();
  }

 private:
  // A path as seen from the file that names it comes first.
  fs::path found(const std::string& name, const fs::path& folder, const std::string& asked_at) {
    std::error_code ignored;
    if (!find_base_ || fs::is_regular_file(folder / name, ignored)) return folder / name;
    try {
      const fs::path other = find_base_(name);
      return other == name ? folder / name : other;
    } catch (const Error& error) {
      throw Error(ErrorKind::input, fmt::format("{}: {}", asked_at, error.what()), error.hint());
    }
  }

  void read_base(const fs::path& path, const std::string& asked_at) {
    std::string text;
    try {
      text = content_of(path);
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", asked_at, error.what()),
                  "the path of 'base' is relative to the file that names it");
    }
    std::error_code ignored;
    if (std::find(open_.begin(), open_.end(), fs::canonical(path, ignored)) != open_.end()) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: '{}' builds on itself", asked_at, path.string()),
                  "a file must not come back to itself through 'base'");
    }
    if (open_.size() >= kMaxBases) {
      throw Error(ErrorKind::input,
                  fmt::format("{}: more than {} files build on each other", asked_at, kMaxBases),
                  "join some of them");
    }
    read_file(path, text);
  }

  OptionSet& options_;
  BaseFinder find_base_;
  std::vector<fs::path> open_;  // from the first file to the one being read
};

// The entries of `[[name]]`, each into options of its own.
void read_list(const toml::node& node, const std::string& name, const EntryDeclarer& declare,
               std::string_view origin) {
  const toml::array* entries = node.as_array();
  if (!entries || !entries->is_array_of_tables()) {
    throw Error(ErrorKind::input,
                fmt::format("{}: '{}' is not a list", place(origin, node.source()), name),
                fmt::format("begin each entry with a line [[{}]]", name));
  }
  for (const toml::node& entry : *entries) {
    OptionSet options;
    declare(options);
    read_table(options, *entry.as_table(), "", 1, origin);
  }
}

[[noreturn]] void refuse_list(const std::string& name,
                              const std::map<std::string, EntryDeclarer>& lists,
                              const std::string& where) {
  std::vector<std::string> names;
  for (const auto& [known, declare] : lists) names.push_back(known);
  throw Error(ErrorKind::input, fmt::format("{}: unknown list '{}'", where, name),
              suggestion(name, names));
}

}  // namespace

void read_toml_lists(const fs::path& path, OptionSet& top,
                     const std::map<std::string, EntryDeclarer>& lists) {
  const std::string origin = path.string();
  for (const auto& [key, node] : parsed(content_of(path), origin)) {
    const std::string name(key.str());
    if (const auto list = lists.find(name); list != lists.end()) {
      read_list(node, name, list->second, origin);
    } else if (node.is_array_of_tables()) {
      refuse_list(name, lists, place(origin, node.source()));
    } else if (const toml::table* table = node.as_table()) {
      read_table(top, *table, name, 1, origin);
    } else {
      read_entry(top, name, node, origin);
    }
  }
}

void read_toml(OptionSet& options, std::string_view text, std::string_view origin,
               const fs::path& folder) {
  Inheritance(options).read(text, origin, folder);
}

void read_toml_file(OptionSet& options, const fs::path& path, BaseFinder find_base) {
  Inheritance(options, std::move(find_base)).read_file(path, content_of(path));
}

}  // namespace eqm
