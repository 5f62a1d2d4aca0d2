#include "eqm/data/memory_source.h"

#include <utility>

#include <fmt/format.h>

#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"

namespace eqm {
namespace {

class MemorySource final : public Source {
 public:
  MemorySource(std::vector<Example> examples, std::vector<std::string> class_names,
               std::string name)
      : examples_(std::move(examples)),
        class_names_(std::move(class_names)),
        name_(std::move(name)) {}

  int64_t size() const override { return static_cast<int64_t>(examples_.size()); }

  Example get(int64_t index) const override {
    check_index(index, size());
    return examples_[static_cast<size_t>(index)];
  }

  std::string name_of(int64_t index) const override { return fmt::format("{}: {}", name_, index); }
  const std::vector<std::string>& class_names() const override { return class_names_; }

  uint64_t fingerprint() const override {
    Hash hash;
    for (const Example& example : examples_) hash.add(example.bytes).add(example.label);
    return hash.value();
  }

 private:
  std::vector<Example> examples_;
  std::vector<std::string> class_names_;
  std::string name_;
};

}  // namespace

SourcePtr memory_source(std::vector<Example> examples, std::vector<std::string> class_names,
                        std::string name) {
  return std::make_shared<MemorySource>(std::move(examples), std::move(class_names),
                                        std::move(name));
}

}  // namespace eqm
