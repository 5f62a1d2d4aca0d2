#include "eqm/io/pickle.h"

#include <fmt/format.h>

#include "eqm/io/text.h"

namespace eqm {

const PickleNode& PickleValue::node() const {
  return tree_->nodes_.at(index_);
}

bool PickleValue::is_global(std::string_view module, std::string_view name) const {
  return is(PickleKind::global) && node().text == module && node().name == name;
}

std::optional<int64_t> PickleValue::integer() const {
  if (!is(PickleKind::integer)) return std::nullopt;
  return node().integer;
}

std::optional<bool> PickleValue::boolean() const {
  if (!is(PickleKind::boolean)) return std::nullopt;
  return node().integer != 0;
}

std::optional<double> PickleValue::real() const {
  if (is(PickleKind::real)) return node().real;
  if (is(PickleKind::integer)) return static_cast<double>(node().integer);
  return std::nullopt;
}

std::optional<std::string_view> PickleValue::text() const {
  if (!is(PickleKind::text)) return std::nullopt;
  return node().text;
}

std::optional<std::string_view> PickleValue::big_integer() const {
  if (!is(PickleKind::big_integer)) return std::nullopt;
  return node().text;
}

std::optional<PickleValue> PickleValue::find(std::string_view key) const {
  if (!is(PickleKind::dict) && !is(PickleKind::object)) return std::nullopt;
  const std::vector<uint32_t>& items = node().items;
  for (size_t i = items.size(); i >= 2; i -= 2) {
    if (at(i - 2).text() == key) return at(i - 1);
  }
  return std::nullopt;
}

std::optional<PickleValue> PickleValue::subject() const {
  if (!is(PickleKind::object) && !is(PickleKind::persistent)) return std::nullopt;
  return PickleValue(*tree_, node().subject);
}

std::optional<PickleValue> PickleValue::arguments() const {
  if (!is(PickleKind::object)) return std::nullopt;
  return PickleValue(*tree_, node().arguments);
}

std::optional<PickleValue> PickleValue::state() const {
  if (!node().state) return std::nullopt;
  return PickleValue(*tree_, *node().state);
}

namespace {

std::string global_name(const PickleNode& node) {
  return in_quotes(fmt::format("{}.{}", node.text, node.name));
}

}  // namespace

std::string described(const PickleValue& value) {
  switch (value.kind()) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return "a truth value";
    case PickleKind::integer:
    case PickleKind::big_integer:
    case PickleKind::real:
      return "a number";
    case PickleKind::text:
      return "a string";
    case PickleKind::bytes:
      return "bytes";
    case PickleKind::list:
      return "a list";
    case PickleKind::tuple:
      return "a tuple";
    case PickleKind::dict:
      return "a dictionary";
    case PickleKind::global:
      return global_name(value.node());
    case PickleKind::object:
      return value.subject()->is(PickleKind::global)
                 ? "an object of " + global_name(value.subject()->node())
                 : "an object";
    case PickleKind::persistent:
      return "a storage";
  }
  return "something unknown";
}

}  // namespace eqm
