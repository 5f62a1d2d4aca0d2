// What all decorators of a source share: by default every question goes to the inner one.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "eqm/data/source.h"

namespace eqm {

class Decorator : public Source {
 public:
  explicit Decorator(SourcePtr inner) : inner_(std::move(inner)) {}

  int64_t size() const override { return inner_->size(); }
  Example get(int64_t index) const override { return inner_->get(index); }
  std::string name_of(int64_t index) const override { return inner_->name_of(index); }
  const std::vector<std::string>& class_names() const override { return inner_->class_names(); }
  bool has_named_classes() const override { return inner_->has_named_classes(); }
  uint64_t fingerprint() const override { return inner_->fingerprint(); }

 protected:
  const Source& inner() const { return *inner_; }

 private:
  SourcePtr inner_;
};

}  // namespace eqm
