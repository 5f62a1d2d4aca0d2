#include "eqm/descend/evaluation.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm {
namespace {

struct Rows {
  Tensor x;  // [rows, ...]
  Condition condition;
};

Rows rows_of(const Field& field, const Shape& shape, const torch::TensorOptions& type,
             std::span<const Question> questions) {
  int64_t rows = 0;
  for (const Question& question : questions) {
    rows += static_cast<int64_t>(question.terms->list.size());
  }
  Shape all = shape;
  all.insert(all.begin(), rows);
  Rows batch;
  const bool single = type.dtype() == torch::kFloat32;
  batch.x = torch::empty(all, torch::TensorOptions(single ? torch::kFloat32 : torch::kFloat64));
  const Tensor labels = torch::empty({rows}, torch::kInt64);
  const Tensor times = torch::empty({rows}, torch::kFloat64);
  int64_t row = 0;
  bool labelled = false, timed = false;
  for (const Question& question : questions) {
    const auto size = static_cast<int64_t>(question.x.size());
    for (const Term& term : question.terms->list) {
      const auto fill = [&](auto* out) {
        std::copy(std::begin(question.x), std::end(question.x), out + row * size);
      };
      single ? fill(batch.x.data_ptr<float>()) : fill(batch.x.data_ptr<double>());
      const int64_t label = term.label == kNullClass ? field.null_label() : term.label;
      labels.data_ptr<int64_t>()[row] = label;
      times.data_ptr<double>()[row] = question.time;
      labelled = labelled || label >= 0;
      timed = timed || question.time != 0;
      ++row;
    }
  }
  batch.x = batch.x.to(type);
  if (labelled) batch.condition.labels = labels;
  if (timed) batch.condition.time = times.to(type);
  return batch;
}

// Σ_k w_k g_k over the rows of one sample, first channels and rest apart.
State weighted_sum(const double* rows, size_t size, size_t channel, const Terms& terms) {
  State sum(0.0, size);
  const auto guided = terms.guided_channels < 0
                          ? size
                          : std::min(size, static_cast<size_t>(terms.guided_channels) * channel);
  for (const Term& term : terms.list) {
    for (size_t i = 0; i < guided; ++i) sum[i] += term.weight * rows[i];
    for (size_t i = guided; i < size; ++i) sum[i] += term.rest_weight * rows[i];
    rows += size;
  }
  return sum;
}

}  // namespace

std::vector<Answer> evaluate(const Field& field, const Shape& shape,
                             const torch::TensorOptions& type,
                             std::span<const Question> questions) {
  const torch::NoGradGuard guard;
  const auto numbers = static_cast<size_t>(c10::multiply_integers(shape));
  for (const Question& question : questions) {
    if (question.x.size() == numbers) continue;
    throw Error(
        ErrorKind::usage,
        fmt::format("a rule asks about {} numbers, and a state has {}", question.x.size(), numbers),
        "`probe` of a course answers a whole state");
  }
  const Rows batch = rows_of(field, shape, type, questions);
  GradientAndEnergy value;
  if (field.has_energy()) {
    value = field.gradient_and_energy(batch.x, batch.condition);
    value.energy = value.energy.to(torch::kCPU, torch::kFloat64).contiguous();
  } else {
    value.gradient = field.gradient(batch.x, batch.condition);
  }
  if (!value.gradient.defined() || value.gradient.sizes() != batch.x.sizes()) {
    throw Error(ErrorKind::usage, "a field's gradient has another shape than the states it is of",
                "answer one number for each of them");
  }
  const Tensor gradients = value.gradient.to(torch::kCPU, torch::kFloat64).contiguous();
  std::vector<Answer> answers;
  int64_t row = 0;
  for (const Question& question : questions) {
    const size_t size = question.x.size();
    const size_t channels = shape.empty() ? 1 : static_cast<size_t>(shape[0]);
    const double* rows = gradients.data_ptr<double>() + row * static_cast<int64_t>(size);
    Answer& answer = answers.emplace_back();
    answer.gradient = weighted_sum(rows, size, size / channels, *question.terms);
    answer.weight = total_weight(*question.terms);
    if (value.energy.defined() && question.terms->guided_channels < 0) {
      answer.energy = 0;
      for (size_t k = 0; k < question.terms->list.size(); ++k) {
        answer.energy += question.terms->list[k].weight *
                         value.energy.data_ptr<double>()[row + static_cast<int64_t>(k)];
      }
    }
    row += static_cast<int64_t>(question.terms->list.size());
  }
  return answers;
}

void check_terms(const Field& field, const Terms& terms) {
  if (terms.list.empty()) {
    throw Error(ErrorKind::usage, "a sample without terms has no gradient to follow",
                "give at least one label with a weight");
  }
  for (const Term& term : terms.list) {
    if (!std::isfinite(term.weight) || !std::isfinite(term.rest_weight)) {
      throw Error(ErrorKind::usage, "the weight of a term is not a finite number",
                  "write weights as plain numbers, as coat:1,bag:0.5");
    }
    if (term.label == kNullClass) {
      if (field.null_label() >= 0 || field.label_count() == 0) continue;
      throw Error(ErrorKind::usage, "the model has no null class, so every term needs a label",
                  "guidance and samples without a label need a model trained with label dropout");
    }
    if (term.label < 0 || term.label >= field.label_count()) {
      throw Error(ErrorKind::usage, fmt::format("the model has no class {}", term.label),
                  field.label_count() == 0
                      ? "it has no classes: omit labels"
                      : fmt::format("give labels from 0 to {}", field.label_count() - 1));
    }
  }
  if (!(total_weight(terms) > 0)) {
    throw Error(ErrorKind::usage,
                fmt::format("the weights of the terms sum to {:.4g}, so that nothing leads from "
                            "noise to data",
                            total_weight(terms)),
                "let them sum to more than 0, as in coat:1,bag:1,null:-1");
  }
}

}  // namespace eqm
