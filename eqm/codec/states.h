// Between what data sets hold and the states a model sees.
#pragma once

#include "eqm/base/noise.h"
#include "eqm/codec/codec.h"
#include "eqm/data/batch.h"

namespace eqm {

// The examples of a batch as states; of posteriors the mean. Bytes are pixels, which a codec with
// an autoencoder encodes.
Tensor states_of(const Batch& batch, const Codec& codec, const torch::TensorOptions& type);

// The same with posteriors drawn from: row i takes the numbers of sample `key.sample` + i.
Tensor drawn_states(const Batch& batch, const Codec& codec, NoiseKey key,
                    const torch::TensorOptions& type);

// States [n, C, H, W] of images as the bytes that a picture of them holds, in the same layout.
Tensor bytes_of(const Tensor& states, const Codec& codec);

}  // namespace eqm
