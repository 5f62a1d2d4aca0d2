#include "eqm/landscape/labels.h"

#include <algorithm>
#include <charconv>
#include <numeric>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/io/quoted_list.h"
#include "eqm/io/text.h"
#include "eqm/landscape/mix.h"

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

std::vector<int64_t> every_class(const Model& model) {
  std::vector<int64_t> labels(static_cast<size_t>(model.backbone->num_classes()));
  std::iota(labels.begin(), labels.end(), 0);
  return labels;
}

bool has_class(const Model& model, const std::string& name) {
  return std::ranges::find(model.class_names, name) != model.class_names.end();
}

std::vector<int64_t> labels_of(const Model& model, const std::string& text) {
  const std::vector<std::string>& names = model.class_names;
  if (trimmed(text) == "all" && std::find(names.begin(), names.end(), "all") == names.end()) {
    return every_class(model);
  }
  std::vector<int64_t> labels;
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
  for (const MixPart& part : mix_parts(text)) {
    const std::string& name = part.plain.empty() ? part.label : part.plain;
    if (!part.model.empty() && !has_class(model, part.plain)) {
      throw Error(ErrorKind::usage,
                  fmt::format("the mix takes a class of another model, {}", in_quotes(part.model)),
                  "give classes of one model here; eqm sample composes several");
    }
    const int64_t label = label_of(model, name);
    terms.list.push_back({.label = label, .weight = part.weight, .rest_weight = part.weight});
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

Tensor labels_in_turn(const Model& model, const std::string& chosen, int64_t count) {
  if (chosen.empty()) return labels_in_turn(model, count);
  const std::vector<int64_t> labels = labels_of(model, chosen);
  if (std::ranges::all_of(labels, [](int64_t label) { return label == kNullClass; })) return {};
  const Tensor places = labels_in_turn(static_cast<int64_t>(labels.size()), count);
  return torch::tensor(labels, torch::kInt64).index({places});
}

}  // namespace eqm
