// Every use of a seed has draws of its own, so that no two streams of numbers meet. One list for
// the whole library: a number never changes its meaning, or old runs could not be repeated.
#pragma once

#include <cstdint>

namespace eqm {

enum Draw : uint32_t {
  draw_index = 0,          // which point of a small set a training row takes
  draw_gamma = 1,          // γ of a training row
  draw_noise = 2,          // ε of a training row
  draw_start = 3,          // where a sample's descent starts
  draw_label_dropout = 4,  // whether a training row hides its label
  draw_held_out_noise = 5,
  draw_held_out_gamma = 6,
  draw_denoise = 7,    // ε that an image is noised with before it is denoised
  draw_posterior = 8,  // which latents of a picture a training row takes
  draw_dropout = 9,    // the seed of what a training row's forward pass drops

  draw_course = 1 << 16,  // and up: noise of the steps of a sample's course
};

}  // namespace eqm
