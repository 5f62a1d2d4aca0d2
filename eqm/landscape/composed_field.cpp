#include "eqm/landscape/composed_field.h"

#include <algorithm>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

[[noreturn]] void refuse_without_null() {
  throw Error(ErrorKind::usage, "the model has no null class, so every term needs a label",
              "give each term a class, or a model trained with label dropout");
}

}  // namespace

ComposedField::ComposedField(std::vector<std::shared_ptr<const Field>> parts) {
  if (parts.empty()) {
    throw Error(ErrorKind::usage, "a composition needs at least one field", "give it a model");
  }
  for (std::shared_ptr<const Field>& field : parts) {
    // A field without labels still needs a number of its own.
    const int64_t count = std::max<int64_t>(1, field->label_count());
    parts_.push_back({.field = std::move(field), .first = label_count_, .count = count});
    label_count_ += count;
  }
}

int64_t ComposedField::label_of_part(size_t index, int64_t label) const {
  if (index >= parts_.size()) {
    throw Error(
        ErrorKind::usage,
        fmt::format("the composition has {} parts, and part {} is none", parts_.size(), index),
        "count parts from 0");
  }
  const Part& part = parts_[index];
  const int64_t known = part.field->label_count();
  if (label == kNullClass) {
    if (known == 0) return part.first;
    if (part.field->null_label() < 0) refuse_without_null();
    return part.first + part.field->null_label();
  }
  if (label < 0 || label >= known) {
    throw Error(
        ErrorKind::usage, fmt::format("part {} of the composition has no class {}", index, label),
        known == 0 ? "it knows no classes" : fmt::format("give labels from 0 to {}", known - 1));
  }
  return part.first + label;
}

int64_t ComposedField::null_label() const {
  const Field& first = *parts_.front().field;
  return first.label_count() == 0 ? 0 : first.null_label();
}

bool ComposedField::has_energy() const {
  return std::ranges::all_of(parts_, [](const Part& part) { return part.field->has_energy(); });
}

double ComposedField::activation_floats_per_row() const {
  double most = 0;
  for (const Part& part : parts_) most = std::max(most, part.field->activation_floats_per_row());
  return most;
}

GradientAndEnergy ComposedField::evaluate(const Tensor& x, const Condition& condition,
                                          Wanted wanted) const {
  if (!condition.labels.defined() && null_label() < 0) refuse_without_null();
  const Tensor labels = condition.labels.defined()
                            ? condition.labels.to(torch::kCPU)
                            : torch::full({x.size(0)}, null_label(), torch::kInt64);
  const bool known = ((labels >= 0) & (labels < label_count_)).all().item<bool>();
  if (!known) {
    throw Error(ErrorKind::usage, "a label belongs to no part of the composition",
                fmt::format("give labels from 0 to {}", label_count_ - 1));
  }
  const bool energy = wanted == Wanted::gradient_and_energy;
  GradientAndEnergy all = {.gradient = torch::empty_like(x), .energy = {}};
  for (const Part& part : parts_) {
    const Tensor own = (labels >= part.first) & (labels < part.first + part.count);
    const Tensor rows = own.nonzero().squeeze(1);  // [n]
    if (rows.size(0) == 0) continue;
    Condition of_rows = condition.rows(rows);
    of_rows.labels =
        part.field->label_count() == 0 ? Tensor() : labels.index_select(0, rows) - part.first;
    const Tensor places = rows.to(x.device());
    const Tensor states = x.index_select(0, places);
    GradientAndEnergy some;
    if (energy) {
      some = part.field->gradient_and_energy(states, of_rows);
    } else {
      some.gradient = part.field->gradient(states, of_rows);
    }
    all.gradient.index_copy_(0, places, some.gradient.to(x.options()));
    if (!energy) continue;
    if (!all.energy.defined()) all.energy = torch::empty({x.size(0)}, some.energy.options());
    all.energy.index_copy_(0, places, some.energy.to(all.energy.options()));
  }
  return all;
}

Tensor ComposedField::gradient(const Tensor& x, const Condition& condition) const {
  const torch::NoGradGuard guard;
  return evaluate(x, condition, Wanted::gradient).gradient;
}

GradientAndEnergy ComposedField::gradient_and_energy(const Tensor& x,
                                                     const Condition& condition) const {
  if (!has_energy()) return Field::gradient_and_energy(x, condition);
  const torch::NoGradGuard guard;
  return evaluate(x, condition, Wanted::gradient_and_energy);
}

}  // namespace eqm
