#include "eqm/base/options.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/utf8.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_option(std::string_view shown, const Option& option,
                                std::string_view problem) {
  std::string hint = fmt::format("{} takes {}", shown, option.type);
  if (const std::string range = option.range.text(); !range.empty()) hint += ", " + range;
  throw Error(ErrorKind::usage, fmt::format("{}: {}", shown, problem), hint);
}

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

OptionValue parse(const Option& option, std::string_view text, std::string_view shown) {
  if (std::holds_alternative<std::string>(option.standard)) return std::string(text);
  if (std::holds_alternative<bool>(option.standard)) {
    if (text == "true" || text == "yes" || text == "1" || text == "on") return true;
    if (text == "false" || text == "no" || text == "0" || text == "off") return false;
    refuse_option(shown, option, fmt::format("'{}' is neither yes nor no", text));
  }
  if (std::holds_alternative<int64_t>(option.standard)) {
    int64_t whole = 0;
    if (parse_whole(text, whole)) return whole;
    // 1e4 is a friendly way to write a count.
    double number = 0;
    if (parse_whole(text, number) && number == std::floor(number) && std::abs(number) < 1e15) {
      return static_cast<int64_t>(number);
    }
    refuse_option(shown, option, fmt::format("'{}' is not a whole number", text));
  }
  double number = 0;
  if (!parse_whole(text, number))
    refuse_option(shown, option, fmt::format("'{}' is not a number", text));
  return number;
}

}  // namespace

bool Range::contains(double value) const {
  if (std::isnan(value)) return false;
  return (above ? value > least : value >= least) && value <= most;
}

std::string Range::text() const {
  const bool low = std::isfinite(least);
  const bool high = std::isfinite(most);
  if (low && high) return fmt::format("{} {} to {}", above ? "above" : "from", least, most);
  if (low) return fmt::format("{} {}", above ? "above" : "at least", least);
  if (high) return fmt::format("at most {}", most);
  return "";
}

void OptionSet::add(Option option) {
  if (find(option.name)) {
    throw Error(ErrorKind::internal, fmt::format("option '{}' is declared twice", option.name));
  }
  option.section = section_;
  option.standard = option.get();
  if (option.type.empty()) option.type = fmt::format("one of {}", fmt::join(option.choices, ", "));
  options_.push_back(std::move(option));
}

namespace {

// An option bound to a variable whose type is an alternative of OptionValue.
template <class T>
Option bound(std::string name, T& target, Range range, std::string type, std::string help) {
  Option option;
  option.name = std::move(name);
  option.help = std::move(help);
  option.type = std::move(type);
  option.range = range;
  option.standard = target;
  option.set = [&target](const OptionValue& value) { target = std::get<T>(value); };
  option.get = [&target]() -> OptionValue { return target; };
  return option;
}

}  // namespace

void OptionSet::flag(std::string name, bool& target, std::string help) {
  add(bound(std::move(name), target, {}, "yes/no", std::move(help)));
}

void OptionSet::count(std::string name, int64_t& target, Range range, std::string help) {
  add(bound(std::move(name), target, range, "a whole number", std::move(help)));
}

void OptionSet::number(std::string name, double& target, Range range, std::string help) {
  add(bound(std::move(name), target, range, "a number", std::move(help)));
}

void OptionSet::text(std::string name, std::string& target, std::string help) {
  add(bound(std::move(name), target, {}, "text", std::move(help)));
}

void OptionSet::choice(std::string name, std::string& target, std::vector<std::string> choices,
                       std::string help) {
  Option option = bound(std::move(name), target, {}, "", std::move(help));
  option.choices = std::move(choices);
  add(std::move(option));
}

const Option* OptionSet::find(std::string_view name) const {
  for (const Option& option : options_) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

std::vector<std::string> OptionSet::names() const {
  std::vector<std::string> names;
  for (const Option& option : options_) names.push_back(option.name);
  return names;
}

void OptionSet::set_text(std::string_view name, std::string_view text) {
  const Option* option = find(name);
  if (!option) {
    throw Error(ErrorKind::usage, fmt::format("unknown option '{}'", name),
                suggestion(name, names()));
  }
  const std::string shown = fmt::format("{{{}}}", name);
  set_value(*option, parse(*option, text, shown), shown);
}

void OptionSet::set_value(const Option& option, const OptionValue& value, std::string_view shown) {
  OptionValue fitting = value;
  // A whole number is a number: TOML's `eta = 1` is meant as 1.0.
  if (std::holds_alternative<double>(option.standard) && std::holds_alternative<int64_t>(value)) {
    fitting = static_cast<double>(std::get<int64_t>(value));
  }
  if (fitting.index() != option.standard.index()) {
    refuse_option(shown, option, fmt::format("'{}' is of the wrong type", to_text(value)));
  }
  const auto* text = std::get_if<std::string>(&fitting);
  if (text && text->find('\0') != std::string::npos) {
    refuse_option(shown, option, "the text holds a zero byte");
  }
  if (text && !is_utf8(*text)) {
    // Neither a run's record nor a picture's could hold it.
    throw Error(ErrorKind::usage, fmt::format("{}: the text is not UTF-8", shown),
                "give the file or folder another name, or reach it through a link");
  }
  double number = 0;
  if (const auto* whole = std::get_if<int64_t>(&fitting)) number = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&fitting)) {
    number = *real;
    if (!std::isfinite(number))
      refuse_option(shown, option, fmt::format("'{}' is not finite", number));
  }
  if (!option.range.contains(number)) {
    refuse_option(shown, option, fmt::format("{} is out of range", to_text(value)));
  }
  if (!option.choices.empty()) {
    bool known = false;
    for (const std::string& choice : option.choices) known = known || choice == *text;
    if (!known) {
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' is not one of its choices", shown, *text),
                  suggestion(*text, option.choices));
    }
  }
  option.set(fitting);
}

std::string to_text(const OptionValue& value) {
  return std::visit(
      [](const auto& item) -> std::string {
        using T = std::decay_t<decltype(item)>;
        if constexpr (std::is_same_v<T, bool>) {
          return item ? "true" : "false";
        } else {
          return fmt::format("{}", item);
        }
      },
      value);
}

}  // namespace eqm
