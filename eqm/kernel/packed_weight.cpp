#include "eqm/kernel/packed_weight.h"

#include "eqm/kernel/simd/gemm.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {

void pack_weight(const Tensor& weight, float* packed) {
  const auto rows = static_cast<size_t>(weight.size(0)),
             depth = static_cast<size_t>(weight.size(1));
  const float* in = weight.data_ptr<float>();
  const auto stride = static_cast<size_t>(weight.stride(0));
  const size_t width = simd::tile_columns();
  const auto count = static_cast<int64_t>((rows + width - 1) / width);
  at::parallel_for(0, count, 1, [&](int64_t begin, int64_t end) {
    simd::pack_transposed(in, stride, depth, static_cast<size_t>(begin) * width,
                          std::min(static_cast<size_t>(end) * width, rows), packed);
  });
}

PackedWeight::Key PackedWeight::key_of(const Tensor& weight) {
  // Tensors of inference mode have no counter; -1 equals no key that was stored.
  const int64_t version = weight.is_inference() ? -1 : static_cast<int64_t>(weight._version());
  return {.storage = weight.storage().unsafeGetStorageImpl(),
          .data = weight.data_ptr(),
          .version = version,
          .rows = weight.size(0),
          .columns = weight.size(1),
          .stride = weight.stride(0),
          .tile_columns = simd::tile_columns()};
}

std::shared_ptr<const float> PackedWeight::packed(const Tensor& weight) {
  const std::lock_guard lock(mutex_);
  const Key key = key_of(weight);
  if (packed_ && key_.version >= 0 && key_ == key) return packed_;
  packed_.reset();
  // Someone may still read the previous copy.
  if (!memory_ || memory_.use_count() > 1) memory_ = std::make_shared<simd::Scratch>();
  float* out = memory_->take(
      simd::packed_size(static_cast<size_t>(weight.size(0)), static_cast<size_t>(weight.size(1))));
  pack_weight(weight, out);
  packed_ = std::shared_ptr<const float>(memory_, out);
  key_ = key;
  storage_.emplace(
      c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(weight.storage().unsafeGetStorageImpl()));
  return packed_;
}

}  // namespace eqm::kernel
