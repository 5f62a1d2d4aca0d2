// Several fields over one state space as one field. The labels of each follow those of the field
// before it, so that the terms of a sample (terms.h) may take labels from several models: their
// weighted sum is then the composition of these models, in the engine as anywhere. Every field is
// asked once per batch, for its own rows; what it keeps per label it keeps.
#pragma once

#include <memory>
#include <vector>

#include "eqm/landscape/field.h"
#include "eqm/landscape/terms.h"

namespace eqm {

class ComposedField final : public Field {
 public:
  // At least one part. That states mean the same to all of them is the caller's to know.
  explicit ComposedField(std::vector<std::shared_ptr<const Field>> parts);

  // What a label of a part is called here; kNullClass is the part without a label. Kind usage for
  // labels that the part does not have.
  int64_t label_of_part(size_t part, int64_t label) const;

  // Rows without a label belong to the first part.
  Tensor gradient(const Tensor& x, const Condition& condition) const override;
  // An energy only where every part has one.
  bool has_energy() const override;
  GradientAndEnergy gradient_and_energy(const Tensor& x, const Condition& condition) const override;
  int64_t null_label() const override;
  int64_t label_count() const override { return label_count_; }
  double activation_floats_per_row() const override;

 private:
  struct Part {
    std::shared_ptr<const Field> field;
    int64_t first = 0;  // its labels here are first to first + count - 1
    int64_t count = 1;
  };
  enum class Wanted { gradient, gradient_and_energy };

  GradientAndEnergy evaluate(const Tensor& x, const Condition& condition, Wanted wanted) const;

  std::vector<Part> parts_;
  int64_t label_count_ = 0;
};

}  // namespace eqm
