#include "eqm/data/pick_source.h"

#include <algorithm>
#include <utility>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/data/decorator.h"
#include "eqm/data/order.h"

namespace eqm {
namespace {

class PickSource : public Decorator {
 public:
  PickSource(SourcePtr inner, std::vector<int64_t> indices)
      : Decorator(std::move(inner)), indices_(std::move(indices)) {}

  int64_t size() const override { return static_cast<int64_t>(indices_.size()); }
  Example get(int64_t index) const override { return inner().get(place_of(index)); }
  std::string name_of(int64_t index) const override { return inner().name_of(place_of(index)); }

  uint64_t fingerprint() const override {
    Hash hash;
    hash.add("picked").add(inner().fingerprint());
    for (const int64_t index : indices_) hash.add(index);
    return hash.value();
  }

 private:
  int64_t place_of(int64_t index) const {
    check_index(index, size());
    return indices_[static_cast<size_t>(index)];
  }

  std::vector<int64_t> indices_;
};

}  // namespace

SourcePtr pick_source(SourcePtr inner, std::vector<int64_t> indices) {
  if (indices.empty()) {
    throw Error(ErrorKind::usage, "no example of the data set is left", "choose at least one");
  }
  for (const int64_t index : indices) check_index(index, inner->size());
  return std::make_shared<PickSource>(std::move(inner), std::move(indices));
}

Choice choose_examples(int64_t size, int64_t count) {
  Choice choice;
  for (int64_t i = 0; i < size; ++i) {
    (i < count ? choice.chosen : choice.rest).push_back(shuffled(kHeldOutSeed, 0, i, size));
  }
  std::ranges::sort(choice.chosen);
  std::ranges::sort(choice.rest);
  return choice;
}

}  // namespace eqm
