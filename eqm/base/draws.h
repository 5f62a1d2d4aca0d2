// Every use of a seed has draws of its own, so that no two streams of numbers meet. One list for
// the whole library: a number never changes its meaning, or old runs could not be repeated.
//
// Two streams need no draws here. What dropout hides is drawn under a seed per row, itself drawn by
// draw_dropout, with the layer as draw; an order by content is drawn under a hash of each row, with
// the number of its repetition as draw.
#pragma once

#include <cstdint>

namespace eqm {

// Draws under the seed of a run, a sample or a data set.
enum Draw : uint32_t {
  draw_index = 0,          // which point of a small set a training row takes
  draw_gamma = 1,          // γ of a training row
  draw_noise = 2,          // ε of a training row
  draw_start = 3,          // where a sample's descent starts
  draw_label_dropout = 4,  // whether a training row hides its label
  draw_held_out_noise = 5,
  draw_held_out_gamma = 6,
  draw_denoise = 7,      // ε that an image is noised with before it is denoised
  draw_posterior = 8,    // which latents of a picture a training row takes
  draw_dropout = 9,      // the seed of what a training row's forward pass drops
  draw_dequantise = 10,  // where in the width of a byte a pixel is taken to lie

  draw_course = 1 << 16,  // and up: noise of the steps of a sample's course

  draw_jitter = 0x6a697474,   // normal noise of a point of a 2-D data set
  draw_order = 0x6f726472,    // and up: rounds of the permutation of an epoch
  draw_points = 0x706f696e,   // where a point of a 2-D data set lies
  draw_probe = 0x70726f62,    // and up: signs that a divergence is estimated with
  draw_weights = 0x77656967,  // initial parameters, one sample number per tensor
};

// The draws that a use takes, from its first on.
struct DrawRange {
  Draw first;
  uint32_t count;
};

inline constexpr uint32_t kMostCourseDraws = draw_jitter - draw_course;
inline constexpr uint32_t kOrderRounds = 12;
inline constexpr uint32_t kMostProbes = 1 << 16;

inline constexpr DrawRange kDrawRanges[] = {
    {draw_index, 1},          {draw_gamma, 1},
    {draw_noise, 1},          {draw_start, 1},
    {draw_label_dropout, 1},  {draw_held_out_noise, 1},
    {draw_held_out_gamma, 1}, {draw_denoise, 1},
    {draw_posterior, 1},      {draw_dropout, 1},
    {draw_dequantise, 1},     {draw_course, kMostCourseDraws},
    {draw_jitter, 1},         {draw_order, kOrderRounds},
    {draw_points, 1},         {draw_probe, kMostProbes},
    {draw_weights, 1},
};

// Seeds of uses that do not follow the run's seed, or change it first so that their draws (epochs,
// kinds, repetitions) are their own.
inline constexpr uint64_t kFlipSeed = 0x666c6970'636f696e;     // xor: which images are mirrored
inline constexpr uint64_t kReferenceOrderSeed = 0x7265666572;  // added: order of a reference set
inline constexpr uint64_t kHeldOutSeed = 0x65716d;             // which examples are kept aside
inline constexpr uint64_t kPlaneHeldOutSeed = 0x706c616e65;    // the same of 2-D data sets
inline constexpr uint64_t kMadeImagesSeed = 0x6d616465;        // levels of made images
inline constexpr uint64_t kFloorSeed = 0x666c6f6f72;  // sets whose distances are the noise floor

inline constexpr uint64_t kOwnSeeds[] = {kFlipSeed,         kReferenceOrderSeed, kHeldOutSeed,
                                         kPlaneHeldOutSeed, kMadeImagesSeed,     kFloorSeed};

}  // namespace eqm
