#include "eqm/data/cache_source.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "eqm/data/check_index.h"
#include "eqm/data/decorator.h"
#include "eqm/data/layout.h"

namespace eqm {
namespace {

enum class SlotState : uint8_t { empty, being_filled, full };

class CacheSource : public Decorator {
 public:
  CacheSource(SourcePtr source, Layout layout)
      : Decorator(std::move(source)),
        layout_(std::move(layout)),
        bytes_each_(layout_.bytes()),
        states_(std::make_unique<std::atomic<SlotState>[]>(count())),
        labels_(new int64_t[count()]),
        bytes_(new std::byte[count() * bytes_each_]) {}

  Example get(int64_t index) const override {
    check_index(index, size());
    const auto slot = static_cast<size_t>(index);
    if (states_[slot].load(std::memory_order_acquire) == SlotState::full) return copy_of(slot);
    Example example = inner().get(index);
    keep(slot, example);
    return example;
  }

 private:
  size_t count() const { return static_cast<size_t>(inner().size()); }

  Example copy_of(size_t slot) const {
    const std::byte* begin = bytes_.get() + slot * bytes_each_;
    return {.dtype = layout_.dtype,
            .shape = layout_.shape,
            .bytes = {begin, begin + bytes_each_},
            .label = labels_[slot],
            .posteriors = layout_.posteriors};
  }

  void keep(size_t slot, const Example& example) const {
    if (layout_of(example) != layout_ || example.bytes.size() != bytes_each_) {
      return;
    }
    SlotState expected = SlotState::empty;
    if (!states_[slot].compare_exchange_strong(expected, SlotState::being_filled)) return;
    std::copy(example.bytes.begin(), example.bytes.end(), bytes_.get() + slot * bytes_each_);
    labels_[slot] = example.label;
    states_[slot].store(SlotState::full, std::memory_order_release);
  }

  Layout layout_;
  size_t bytes_each_;
  // Bytes and label of a slot are written by the one thread that moved its state from empty, and
  // read by those that saw it full.
  std::unique_ptr<std::atomic<SlotState>[]> states_;
  std::unique_ptr<int64_t[]> labels_;
  std::unique_ptr<std::byte[]> bytes_;  // [count, bytes_each], not initialised
};

}  // namespace

SourcePtr cache_source(SourcePtr inner, uint64_t byte_limit) {
  Layout layout = layout_of(*inner);
  const uint64_t each = layout.bytes() + sizeof(int64_t) + sizeof(SlotState);
  if (static_cast<uint64_t>(inner->size()) > byte_limit / each) return inner;
  return std::make_shared<CacheSource>(std::move(inner), std::move(layout));
}

}  // namespace eqm
