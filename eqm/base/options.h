// Options are data: each is declared once, bound to a member of a plain struct, with a name, a
// range and a line of help. Flags, TOML files and the record of a run all come from that
// declaration.
//
//   struct DescentOptions {
//     double eta = 0.05;
//     void declare(OptionSet& set) { set.section("descent"); set.number("eta", eta, {...}, "...");
//     }
//   };
//
// An OptionSet refers to the structs it was declared from: they must outlive it. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "eqm/base/names.h"

namespace eqm {

using OptionValue = std::variant<bool, int64_t, double, std::string>;

// Inclusive bounds; `above` excludes the lower one ("greater than 0").
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;

  static Range positive() { return {.least = 0, .above = true}; }
  static Range at_least(double least) { return {.least = least}; }
  static Range between(double least, double most) { return {.least = least, .most = most}; }

  bool contains(double value) const;
  std::string text() const;  // "at least 1", "from 0 to 1", "" when unbounded
};

struct Option {
  std::string section;  // the TOML table it belongs to; empty: the top level
  std::string name;     // its key, unique in its set
  std::string help;
  std::string type;  // "whole number", "number", "text", "yes/no" or the choices
  Range range;
  std::vector<std::string> choices;
  OptionValue standard;  // the default
  std::function<void(const OptionValue&)> set;
  std::function<OptionValue()> get;

  std::string key() const { return section.empty() ? name : section + "." + name; }
};

class OptionSet {
 public:
  // Options declared from here on belong to this TOML table and stand under this heading in --help.
  void section(std::string name) { section_ = std::move(name); }

  void flag(std::string name, bool& target, std::string help);
  void count(std::string name, int64_t& target, Range range, std::string help);
  void number(std::string name, double& target, Range range, std::string help);
  void text(std::string name, std::string& target, std::string help);
  void choice(std::string name, std::string& target, std::vector<std::string> choices,
              std::string help);

  // An enumeration, by a table of its names.
  template <class Enum>
  void choice(std::string name, Enum& target, const Names<Enum>& names, std::string help);

  const std::vector<Option>& options() const { return options_; }
  const Option* find(std::string_view name) const;
  std::vector<std::string> names() const;

  // Sets an option from text. Messages name it by its key.
  void set_text(std::string_view name, std::string_view text);
  // Sets an option from a typed value (TOML, JSON); `shown` is where it was found, for messages.
  void set_value(const Option& option, const OptionValue& value, std::string_view shown);

 private:
  void add(Option option);

  std::string section_;
  std::vector<Option> options_;
};

// A value as text that reads back to the same value.
std::string to_text(const OptionValue& value);

template <class Enum>
void OptionSet::choice(std::string name, Enum& target, const Names<Enum>& names, std::string help) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.choices = all_names(names);
  option.standard = std::string{};
  option.set = [names, &target](const OptionValue& value) {
    target =
        find_named(names, std::get<std::string>(value)).value();  // checked against the choices
  };
  option.get = [names, &target]() -> OptionValue { return name_in(names, target); };
  add(std::move(option));
}

}  // namespace eqm
