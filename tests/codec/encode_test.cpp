#include "eqm/codec/encode.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include "eqm/codec/states.h"
#include "eqm/data/layout.h"
#include "eqm/data/map_source.h"
#include "eqm/data/memory_source.h"
#include "eqm/data/open_source.h"
#include "eqm/tensor/noise_tensor.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/peak_memory.h"
#include "tests/support/small_vae.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

// Eleven pictures [3, 8, 8] of noise, in three classes.
SourcePtr pictures(uint64_t seed = 0) {
  std::vector<Example> examples;
  for (int64_t i = 0; i < 11; ++i) {
    const Tensor bytes = (uniform_rows({.seed = seed, .sample = static_cast<uint64_t>(192 * i)},
                                       192, torch::kFloat64) *
                          256)
                             .to(torch::kUInt8);
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data_ptr<uint8_t>());
    examples.push_back({.shape = {3, 8, 8}, .bytes = {data, data + 192}, .label = i % 3});
  }
  return memory_source(examples, {"a", "b", "c"}, "noise");
}

// What rounding to a stored type may change, as a part of the largest number. The autoencoder
// computes in float64, where convolutions of other batches and processors agree to 1e-13.
constexpr double kFloat32Rounding = 0x1p-24, kFloat16Rounding = 0x1p-11;
constexpr double kSlack = 1.000001;

class EncodeSet : public ::testing::Test {
 protected:
  EncodeSet() {
    write_small_vae(folder_ / "vae.safetensors");
    vae_ = std::make_unique<Vae>(Vae::load(folder_ / "vae.safetensors", torch::kFloat64));
    create_folder(out_);
  }

  bool encode(const Source& from, const EncodeOptions& options, int64_t batches = 1000) {
    calls_ = 0;
    return encode_set(from, *vae_, out_, options, [&](const EncodeProgress& progress) {
      last_ = progress;
      return ++calls_ < batches;
    });
  }

  Tensor pixels_of(const Source& from) {
    return states_of(read_batch(from, 0, from.size()), Scaling::pixels(), torch::kFloat64);
  }

  TemporaryFolder folder_;
  std::filesystem::path out_ = folder_ / "latents";
  std::unique_ptr<Vae> vae_;
  EncodeProgress last_;
  int64_t calls_ = 0;
};

TEST_F(EncodeSet, keeps_what_the_encoder_says_of_every_picture) {
  const SourcePtr from = pictures();
  ASSERT_TRUE(encode(*from, {.stored = Dtype::f32, .per_shard = 4, .batch = 3}));
  EXPECT_EQ(last_.done, 11);
  const SourcePtr latents = open_source(out_.string(), {});
  ASSERT_EQ(latents->size(), 11);
  EXPECT_EQ(latents->class_names(), from->class_names());
  const Batch batch = read_batch(*latents, 0, 11);
  const Posterior expected = vae_->encode(pixels_of(*from));
  EXPECT_TRUE(close(states_of(batch, Scaling{}, torch::kFloat64), expected.mean,
                    kSlack * kFloat32Rounding));
  EXPECT_NEAR(last_.divergence, expected.divergence().mean().item<double>(), 1e-4);
  for (size_t i = 0; i < 11; ++i) EXPECT_EQ(batch.labels[i], static_cast<int64_t>(i) % 3);
}

TEST_F(EncodeSet, also_encodes_mirrored_pictures) {
  const SourcePtr from = pictures();
  ASSERT_TRUE(encode(*from, {.mirrored = true, .stored = Dtype::f32}));
  const SourcePtr latents = open_source(out_.string(), {});
  const Layout layout = layout_of(*latents);
  EXPECT_EQ(layout.posteriors, 2);
  const Tensor mirrored = vae_->moments(pixels_of(*from).flip({3}));
  for (const int64_t i : {0, 5, 10}) {
    const Example example = latents->get(i);
    const Tensor both = torch::from_blob(const_cast<std::byte*>(example.bytes.data()), {16, 2, 2});
    EXPECT_TRUE(close(both.narrow(0, 8, 8), mirrored[i], kSlack * kFloat32Rounding));
  }
}

// Whatever --batch says, large pictures are read and encoded one by one, and in tiles.
TEST_F(EncodeSet, takes_little_memory_for_large_pictures) {
  if (kMemoryIsWatched) GTEST_SKIP() << "a sanitizer takes memory of its own";
  const int threads_before = at::get_num_threads();
  at::set_num_threads(1);  // each has buffers
  constexpr int64_t kSide = 1024;
  const SourcePtr large = map_source(pictures(), "enlarged", [](const Example& example) {
    const auto bytes = static_cast<size_t>(3 * kSide * kSide);
    return Example{.shape = {3, kSide, kSide},
                   .bytes = std::vector<std::byte>(bytes, example.bytes[0]),
                   .label = example.label};
  });
  vae_ = std::make_unique<Vae>(
      Vae::load(folder_ / "vae.safetensors", torch::kFloat32, {.memory = 16e6}));
  vae_->moments(torch::zeros({1, 3, 256, 256}));  // what libraries keep
  // As numbers, all eleven take 138 MB several times.
  expect_memory_below(uint64_t{200} << 20,
                      [&] { EXPECT_FALSE(encode(*large, {.batch = 11}, /*batches=*/1)); });
  EXPECT_EQ(last_.done, 1);  // picture
  at::set_num_threads(threads_before);
}

TEST_F(EncodeSet, refuses_what_the_machine_cannot_hold) {
  constexpr int64_t kSide = 1 << 22;
  // Nobody has looked at more than the shape when it is refused.
  const SourcePtr huge = map_source(pictures(), "huge", [](const Example& example) {
    return Example{.shape = {3, kSide, kSide}, .bytes = {}, .label = example.label};
  });
  const auto refused = [&] {
    expect_error(ErrorKind::usage, "of memory, and", [&] { encode(*huge, {}); });
    EXPECT_EQ(calls_, 0);
    EXPECT_TRUE(std::filesystem::is_empty(out_));
  };
  refused();  // tiles are small, but 50 TB of pixels are not
  vae_ = std::make_unique<Vae>(
      Vae::load(folder_ / "vae.safetensors", torch::kFloat32, {.memory = 1e18}));
  refused();
}

TEST_F(EncodeSet, rounds_to_halves_when_asked) {
  const SourcePtr from = pictures();
  ASSERT_TRUE(encode(*from, {.stored = Dtype::f16}));
  const Batch batch = read_batch(*open_source(out_.string(), {}), 0, 11);
  EXPECT_TRUE(close(states_of(batch, Scaling{}, torch::kFloat64),
                    vae_->encode(pixels_of(*from)).mean, kSlack * kFloat16Rounding));
}

TEST_F(EncodeSet, goes_on_after_the_last_finished_shard) {
  const SourcePtr from = pictures();
  const EncodeOptions options = {.stored = Dtype::f32, .per_shard = 4, .batch = 2};
  EXPECT_FALSE(encode(*from, options, 3));  // in the second shard
  expect_input_error("has 1 of 3 shards only", [&] { open_source(out_.string(), {}); });
  EXPECT_TRUE(encode(*from, options));
  EXPECT_EQ(calls_, 4);  // of the second and the third shard
  EXPECT_EQ(last_.done, 11);
  EXPECT_TRUE(encode(*from, options));
  EXPECT_EQ(calls_, 0);
  const Batch batch = read_batch(*open_source(out_.string(), {}), 0, 11);
  EXPECT_TRUE(close(states_of(batch, Scaling{}, torch::kFloat64),
                    vae_->encode(pixels_of(*from)).mean, 1e-6));
}

TEST_F(EncodeSet, makes_missing_shards_again) {
  const SourcePtr from = pictures();
  const EncodeOptions options = {.stored = Dtype::f32, .per_shard = 4, .batch = 4};
  ASSERT_TRUE(encode(*from, options));
  std::filesystem::remove(out_ / "shard-00001.safetensors");
  expect_input_error("is missing", [&] { open_source(out_.string(), {}); });
  ASSERT_TRUE(encode(*from, options));
  EXPECT_EQ(calls_, 2);  // of that one, and of the last
  const Batch batch = read_batch(*open_source(out_.string(), {}), 0, 11);
  EXPECT_TRUE(close(states_of(batch, Scaling{}, torch::kFloat64),
                    vae_->encode(pixels_of(*from)).mean, 1e-6));
}

TEST_F(EncodeSet, refuses_to_mix_two_sets) {
  EXPECT_TRUE(encode(*pictures(), {}));
  expect_error(ErrorKind::usage, "differ in the pictures",
               [&] { encode(*pictures(/*seed=*/1), {}); });
  expect_error(ErrorKind::usage, "differ in {flip}",
               [&] { encode(*pictures(), {.mirrored = true}); });
}

TEST_F(EncodeSet, leaves_out_damaged_pictures_when_asked) {
  const SourcePtr whole = pictures();
  const SourcePtr some = map_source(whole, "damage", [](Example example) {
    if (example.label == 1) throw Error(ErrorKind::input, "is damaged", "");
    return example;
  });
  EXPECT_THROW(encode(*some, {}), Error);
  ASSERT_TRUE(encode(*some, {.skip_damaged = true, .per_shard = 1}));
  EXPECT_EQ(open_source(out_.string(), {})->size(), 7);
  EXPECT_EQ(read_latent_manifest(out_).skipped(), 4);
  EXPECT_EQ(last_.skipped, 4);
}

TEST_F(EncodeSet, refuses_what_is_no_pictures) {
  const SourcePtr numbers = memory_source(
      {{.dtype = Dtype::f32, .shape = {2}, .bytes = std::vector<std::byte>(8)}}, {}, "numbers");
  expect_error(ErrorKind::input, "only pictures can be encoded", [&] { encode(*numbers, {}); });
}

TEST_F(EncodeSet, training_draws_from_the_posteriors) {
  const SourcePtr from = pictures();
  ASSERT_TRUE(encode(*from, {.stored = Dtype::f32}));
  const Batch batch = read_batch(*open_source(out_.string(), {}), 0, 11);
  const NoiseKey key = {.seed = 4, .sample = 20, .draw = 8};
  const Posterior posterior = vae_->encode(pixels_of(*from));
  const Tensor noise = normal_rows(key, 11, {4, 2, 2}, torch::kFloat32);
  const Scaling scaling = Scaling::latents();
  const Tensor expected = scaling.to_states(posterior.sample(noise));
  EXPECT_TRUE(close(drawn_states(batch, scaling, key, torch::kFloat32), expected, 1e-6));
  // The same straight from the pictures.
  const auto shared = std::make_shared<const Vae>(*vae_);
  EXPECT_TRUE(
      close(drawn_states(read_batch(*from, 0, 11), Codec(scaling, shared), key, torch::kFloat32),
            expected, 1e-6));
}

TEST_F(EncodeSet, codec_goes_both_ways) {
  const auto shared = std::make_shared<const Vae>(*vae_);
  const Codec codec(Scaling::latents(), shared);
  EXPECT_EQ(codec.picture_shape({4, 2, 2}), (Shape{3, 8, 8}));
  const SourcePtr from = pictures();
  const Tensor states = states_of(read_batch(*from, 0, 11), codec, torch::kFloat32);
  EXPECT_TRUE(close(states, vae_->encode(pixels_of(*from)).mean * 0.18215, 1e-6));
  const Tensor decoded = vae_->decode(states / 0.18215);
  EXPECT_TRUE(torch::equal(bytes_of(states, codec), bytes_of(decoded, Scaling::pixels())));
}

}  // namespace
}  // namespace eqm::test
