#include "eqm/landscape/labels.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/io/quoted_list.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr const char* kNull = "null";

template <class Number>
bool parse(std::string_view text, Number& value) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end;
}

// Where a part of an unquoted name with commas, or with blanks at its ends, was given.
std::string advice_on_quotes(const Model& model, const std::string& text) {
  for (const std::string& name : model.class_names) {
    const std::string written = as_list_part(name);
    const bool meant = !text.empty() && written != name && name.find(text) != std::string::npos;
    if (meant) return fmt::format("write {}, quotes included", written);
  }
  return "";
}

std::string advice_on_labels(const Model& model, const std::string& text) {
  const int64_t classes = model.backbone->num_classes();
  if (classes == 0) return "it was trained without classes; omit labels";
  if (model.class_names.empty()) return fmt::format("give numbers from 0 to {}", classes - 1);
  const std::string quotes = advice_on_quotes(model, text);
  return quotes.empty() ? suggestion(text, model.class_names) : quotes;
}

[[noreturn]] void refuse_rest(const ListPart& part) {
  throw Error(
      ErrorKind::usage,
      fmt::format("{} stands behind the quotes of {}", in_quotes(part.rest), in_quotes(part.text)),
      "put a comma between two labels, and in a mix a colon before a weight");
}

}  // namespace

int64_t label_of(const Model& model, const std::string& text) {
  const int64_t classes = model.backbone->num_classes();
  for (size_t i = 0; i < model.class_names.size(); ++i) {
    if (model.class_names[i] == text) return static_cast<int64_t>(i);
  }
  if (text == kNull && (model.backbone->null_label() >= 0 || classes == 0)) return kNullClass;
  int64_t label = -1;
  if (parse(text, label) && label >= 0 && label < classes) return label;
  throw Error(ErrorKind::usage, fmt::format("the model has no class '{}'", text),
              advice_on_labels(model, text));
}

std::vector<int64_t> labels_of(const Model& model, const std::string& text) {
  std::vector<int64_t> labels;
  const std::vector<std::string>& names = model.class_names;
  if (trimmed(text) == "all" && std::find(names.begin(), names.end(), "all") == names.end()) {
    labels.resize(static_cast<size_t>(model.backbone->num_classes()));
    std::iota(labels.begin(), labels.end(), 0);
    return labels;
  }
  for (const ListPart& part : quoted_parts(text)) {
    if (!part.rest.empty()) refuse_rest(part);
    if (part.text.empty() && !part.quoted) {
      throw Error(ErrorKind::usage, fmt::format("a label is missing in '{}'", text),
                  "write one between every two commas, and none at the end");
    }
    labels.push_back(label_of(model, part.text));
  }
  return labels;
}

Terms mix_of(const Model& model, const std::string& text) {
  Terms terms = {.list = {}};
  for (const ListPart& part : quoted_parts(text)) {
    // Behind a name in quotes, or behind the last colon of one without.
    const std::string_view written = part.quoted ? part.rest : part.text;
    const size_t colon = part.quoted ? written.find(':') : written.rfind(':');
    if (part.quoted && !written.empty() && colon != 0) refuse_rest(part);
    double weight = 1;
    if (colon != std::string_view::npos &&
        (!parse(trimmed(written.substr(colon + 1)), weight) || !std::isfinite(weight))) {
      throw Error(ErrorKind::usage, fmt::format("'{}' has no number behind its colon", written),
                  "write label:weight, such as coat:1,bag:0.5; a name with a comma or a colon as "
                  "\"one, two\":0.5");
    }
    const std::string name =
        part.quoted ? part.text : std::string(trimmed(written.substr(0, colon)));
    terms.list.push_back({.label = label_of(model, name), .weight = weight, .rest_weight = weight});
  }
  bool any = false;
  for (const Term& term : terms.list) any = any || term.weight != 0;
  if (!any) {
    throw Error(ErrorKind::usage, "all weights of the mix are 0, so that nothing would move",
                "give at least one label a weight");
  }
  return terms;
}

std::string label_name(const Model& model, int64_t label) {
  const auto index = static_cast<size_t>(label);
  if (label < 0) return kNull;
  return index < model.class_names.size() ? model.class_names[index] : std::to_string(label);
}

Tensor labels_in_turn(int64_t classes, int64_t count) {
  if (classes <= 0) return {};
  Tensor labels = torch::empty({count}, torch::kInt64);
  auto* values = labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i) values[i] = class_in_turn(i, classes);
  return labels;
}

Tensor labels_in_turn(const Model& model, int64_t count) {
  return labels_in_turn(model.backbone->num_classes(), count);
}

}  // namespace eqm
