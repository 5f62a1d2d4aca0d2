// A weight [N, K] as the fused products read it: its transpose in the order of register tiles.
// Packed at first use and again when the weight has changed, which LibTorch's version counter shows
// (it does not count what is written through .data()). Safe from several threads.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "eqm/kernel/simd/scratch.h"
#include "eqm/tensor/torch.h"

namespace eqm::kernel {

// Packs a weight [N, K] with contiguous rows into simd::packed_size(N, K) floats.
void pack_weight(const Tensor& weight, float* packed);

class PackedWeight {
 public:
  // The packed weight stays valid while it is held. `weight` is float32, its rows contiguous.
  std::shared_ptr<const float> packed(const Tensor& weight);

 private:
  struct Key {
    const void *storage = nullptr, *data = nullptr;
    int64_t version = -1, rows = 0, columns = 0, stride = 0;
    size_t tile_columns = 0;  // differs between instruction sets
    bool operator==(const Key&) const = default;
  };
  static Key key_of(const Tensor& weight);

  std::mutex mutex_;  // of what follows
  Key key_;
  // While this is held, no other storage has its address.
  std::optional<c10::weak_intrusive_ptr<c10::StorageImpl>> storage_;
  std::shared_ptr<simd::Scratch> memory_;
  std::shared_ptr<const float> packed_;
};

}  // namespace eqm::kernel
