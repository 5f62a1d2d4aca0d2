#include "eqm/data/shard_source.h"

#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/data/decorator.h"

namespace eqm {
namespace {

class StridedSource : public Decorator {
 public:
  StridedSource(SourcePtr inner, int64_t first, int64_t step, int64_t count)
      : Decorator(std::move(inner)), first_(first), step_(step), count_(count) {}

  int64_t size() const override { return count_; }
  Example get(int64_t index) const override { return inner().get(place_of(index)); }
  std::string name_of(int64_t index) const override { return inner().name_of(place_of(index)); }

  uint64_t fingerprint() const override {
    return Hash().add("part").add(first_).add(step_).add(count_).add(inner().fingerprint()).value();
  }

 private:
  int64_t place_of(int64_t index) const {
    check_index(index, count_);
    return first_ + index * step_;
  }

  int64_t first_;
  int64_t step_;
  int64_t count_;
};

}  // namespace

SourcePtr shard_source(SourcePtr inner, int64_t k, int64_t n) {
  const int64_t size = inner->size();
  if (k < 0 || k >= n || k >= size) {
    throw Error(ErrorKind::usage, fmt::format("{} examples have no part {} of {}", size, k, n),
                "parts count from 0, and each needs at least one example");
  }
  const int64_t count = (size - 1 - k) / n + 1;
  return std::make_shared<StridedSource>(std::move(inner), k, n, count);
}

SourcePtr range_source(SourcePtr inner, int64_t first, int64_t count) {
  const int64_t size = inner->size();
  if (first < 0 || count < 1 || first >= size || count > size - first) {
    throw Error(ErrorKind::usage,
                fmt::format("{} examples from {} on are not among {}", count, first, size),
                "choose a range within the data set");
  }
  return std::make_shared<StridedSource>(std::move(inner), first, 1, count);
}

}  // namespace eqm
