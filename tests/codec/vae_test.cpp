#include "eqm/codec/vae.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/codec/states.h"
#include "eqm/tensor/bridge.h"
#include "eqm/tensor/named_tensors.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"
#include "tests/support/small_vae.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

namespace fs = std::filesystem;

struct VaeCase {
  fs::path weights;
  GoldenCase io;
};

// Every NAME.io.safetensors with its NAME.weights.safetensors.
std::vector<VaeCase> vae_cases() {
  std::vector<VaeCase> cases;
  for (const fs::path& path : golden_files("nets/vae")) {
    const std::string name = path.filename().string(), ending = ".io.safetensors";
    if (!name.ends_with(ending)) continue;
    const std::string stem = name.substr(0, name.size() - ending.size());
    cases.push_back({path.parent_path() / (stem + ".weights.safetensors"), GoldenCase(path)});
  }
  EXPECT_FALSE(cases.empty()) << "no autoencoders in " << golden_root();
  return cases;
}

double allowed(torch::ScalarType type) {
  return type == torch::kFloat32 ? 1e-5 : 1e-11;
}

TEST(Vae, encodes_as_diffusers_does) {
  for (const VaeCase& one : vae_cases()) {
    for (const torch::ScalarType type : kPrecisions) {
      SCOPED_TRACE(one.io.name());
      const double limit = allowed(type);
      const Vae vae = Vae::load(one.weights, type);
      const Tensor image = one.io.input("image", type);
      EXPECT_TRUE(close(vae.moments(image), one.io.expected("moments"), limit));
      const Posterior posterior = vae.encode(image);
      EXPECT_TRUE(close(posterior.mean, one.io.expected("mean"), limit));
      EXPECT_TRUE(close(posterior.log_variance, one.io.expected("logvar"), limit));
      EXPECT_TRUE(close(posterior.deviation(), one.io.expected("std"), limit));
      const Tensor sample = posterior.sample(one.io.input("noise", type));
      EXPECT_TRUE(close(sample, one.io.expected("sample"), limit));
      const double scale = std::stod(one.io.meta("scaling_factor"));
      EXPECT_TRUE(close(sample * scale, one.io.expected("latent"), limit));
    }
  }
}

TEST(Vae, decodes_as_diffusers_does) {
  for (const VaeCase& one : vae_cases()) {
    for (const torch::ScalarType type : kPrecisions) {
      SCOPED_TRACE(one.io.name());
      const Vae vae = Vae::load(one.weights, type);
      const double scale = std::stod(one.io.meta("scaling_factor"));
      const Tensor decoded = vae.decode(one.io.input("latent_in", type) / scale);
      EXPECT_TRUE(close(decoded, one.io.expected("decoded"), allowed(type)));
      EXPECT_TRUE(close(vae.decode(vae.encode(one.io.input("image", type)).mean),
                        one.io.expected("rec"), allowed(type)));
      const Tensor bytes = bytes_of(decoded, Scaling::pixels()).permute({0, 2, 3, 1});
      // A value between two bytes may fall on either side.
      const Tensor wanted = read_tensor(one.io.file(), "decoded_u8_nhwc");
      const Tensor apart = (bytes.to(torch::kInt16) - wanted.to(torch::kInt16)).abs();
      EXPECT_LE(apart.max().item<int64_t>(), 1);
      EXPECT_LT(apart.to(torch::kFloat64).mean().item<double>(), 1e-3);
    }
  }
}

TEST(Posterior, clamps_log_variances_and_knows_its_divergence) {
  for (const VaeCase& one : vae_cases()) {
    if (!one.io.has("ext_moments")) continue;
    for (const torch::ScalarType type : kPrecisions) {
      const double limit = allowed(type);
      const Posterior posterior = Posterior::from(one.io.input("ext_moments", type));
      EXPECT_TRUE(close(posterior.mean, one.io.expected("ext_mean"), limit));
      EXPECT_TRUE(close(posterior.log_variance, one.io.expected("ext_logvar"), limit));
      EXPECT_TRUE(close(posterior.deviation(), one.io.expected("ext_std"), limit));
      EXPECT_TRUE(close(posterior.variance(), one.io.expected("ext_var"), limit));
      EXPECT_TRUE(close(posterior.divergence(), one.io.expected("ext_kl"), limit));
    }
  }
}

TEST(VaeConfig, names_the_weights_of_the_real_model) {
  std::ifstream file(golden_root() / "nets/vae/sd_vae_param_names.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  const std::map<std::string, Shape> ours = vae_shapes(VaeConfig{});
  EXPECT_EQ(ours, json.at("current_naming").get<decltype(ours)>());
  std::map<std::string, Shape> renamed;
  for (const auto& [name, shape] : json.at("older_naming").get<decltype(ours)>()) {
    renamed[current_vae_name(name)] = shape;
  }
  EXPECT_EQ(ours, renamed);
  EXPECT_EQ(vae_config_from(ours, 32).channels, VaeConfig{}.channels);
}

class SmallVaeTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "vae.safetensors";
};

TEST_F(SmallVaeTest, makes_the_same_of_a_picture_in_any_batch) {
  write_small_vae(file_);
  const Vae whole = Vae::load(file_, torch::kFloat64);
  const Vae narrow = Vae::load(file_, torch::kFloat64, {.memory = 1.5 * 5 * 8 * 8 * 16 * 16});
  const Tensor pictures = torch::rand({5, 3, 16, 16}, torch::kFloat64) * 2 - 1;
  EXPECT_TRUE(close(narrow.moments(pictures), whole.moments(pictures), 1e-12));
  const Tensor latents = torch::randn({5, 4, 4, 4}, torch::kFloat64);
  EXPECT_TRUE(close(narrow.decode(latents), whole.decode(latents), 1e-12));
}

TEST_F(SmallVaeTest, computes_large_pictures_in_tiles) {
  write_small_vae(file_);
  const Vae whole = Vae::load(file_, torch::kFloat32);
  const Vae tiled = Vae::load(file_, torch::kFloat32, {.memory = 1e6});
  const Tensor pictures = torch::rand({2, 3, 160, 128}) * 2 - 1;
  const Tensor expected = whole.moments(pictures), made = tiled.moments(pictures);
  ASSERT_EQ(made.sizes(), expected.sizes());
  // Normalisation and attention see a tile only: alike, not equal.
  EXPECT_FALSE(torch::equal(made, expected));
  EXPECT_LT((made - expected).abs().mean().item<double>(), 0.3 * expected.std().item<double>());
  const Tensor latents = whole.encode(pictures).mean;
  EXPECT_LT((tiled.decode(latents) - whole.decode(latents)).abs().mean().item<double>(),
            0.3 * whole.decode(latents).std().item<double>());
}

TEST_F(SmallVaeTest, takes_bytes_for_pixels) {
  write_small_vae(file_);
  const Tensor bytes = torch::randint(256, {3, 3, 160, 128}, torch::kUInt8);
  const Tensor numbers = Scaling::pixels().to_states(bytes);
  for (const double memory : {2e9, 1e6}) {  // together, and in tiles
    const Vae vae = Vae::load(file_, torch::kFloat32, {.memory = memory});
    EXPECT_TRUE(torch::equal(vae.moments(bytes), vae.moments(numbers)));
  }
}

TEST_F(SmallVaeTest, tells_how_much_it_computes_together) {
  write_small_vae(file_);
  constexpr double kPicture = 5.0 * 8 * 4 * 64 * 64;  // bytes of the activations of one
  const Vae vae = Vae::load(file_, torch::kFloat32, {.memory = 3.5 * kPicture});
  EXPECT_EQ(vae.rows_for(64, 64), 3);
  EXPECT_EQ(vae.activations_for(2, 64, 64), 2 * kPicture);
  EXPECT_EQ(vae.activations_for(100, 64, 64), 3 * kPicture);
  EXPECT_EQ(vae.rows_for(640, 640), 1);
  EXPECT_LE(vae.activations_for(100, 640, 640), 3.5 * kPicture);  // of a tile
}

TEST_F(SmallVaeTest, makes_nothing_of_no_pictures) {
  write_small_vae(file_);
  const Vae vae = Vae::load(file_, torch::kFloat32);
  EXPECT_EQ(vae.moments(torch::zeros({0, 3, 16, 8})).sizes(), Shape({0, 8, 4, 2}));
  EXPECT_EQ(vae.decode(torch::zeros({0, 4, 4, 2})).sizes(), Shape({0, 3, 16, 8}));
}

TEST_F(SmallVaeTest, says_when_it_answers_no_numbers) {
  write_small_vae(file_, {.not_a_number = "decoder.conv_in.bias"});
  const Vae vae = Vae::load(file_, torch::kFloat32);
  vae.moments(torch::zeros({1, 3, 8, 8}));
  expect_error(ErrorKind::numeric, "numbers that are not finite", [&] {
    vae.decode(torch::zeros({1, 4, 2, 2}));
  });
}

TEST_F(SmallVaeTest, tells_weights_apart) {
  write_small_vae(file_);
  const uint64_t first = Vae::load(file_, torch::kFloat32).fingerprint();
  EXPECT_EQ(Vae::load(file_, torch::kFloat64).fingerprint(), first);
  write_small_vae(file_, {.seed = 2});
  EXPECT_NE(Vae::load(file_, torch::kFloat32).fingerprint(), first);
  write_small_vae(file_, {.groups = "2"});
  EXPECT_NE(Vae::load(file_, torch::kFloat32).fingerprint(), first);
}

TEST_F(SmallVaeTest, refuses_pictures_and_latents_that_do_not_fit) {
  write_small_vae(file_);
  const Vae vae = Vae::load(file_, torch::kFloat32);
  expect_error(ErrorKind::usage, "sides divide by 4", [&] {
    vae.moments(torch::zeros({1, 3, 18, 16}));
  });
  expect_error(ErrorKind::usage, "3 channels", [&] { vae.moments(torch::zeros({1, 1, 16, 16})); });
  expect_error(ErrorKind::usage, "4 channels", [&] { vae.decode(torch::zeros({1, 3, 4, 4})); });
  expect_error(ErrorKind::usage, "4 channels", [&] { vae.decode(torch::zeros({4, 4, 4})); });
}

TEST_F(SmallVaeTest, refuses_files_that_are_no_autoencoders) {
  const auto refused = [&](const std::string& part) {
    expect_error(ErrorKind::input, part, [&] { Vae::load(file_, torch::kFloat32); });
  };
  save_tensors(file_, {{"weight", torch::zeros({2})}});
  refused("it has no 'encoder.conv_in.weight'");
  write_small_vae(file_, {.leave_out = "decoder.mid_block.attentions.0.to_k.bias"});
  refused("it has no 'decoder.mid_block.attentions.0.to_k.bias'");
  write_small_vae(file_, {.groups = "3"});
  refused("8 channels cannot be divided into 3 groups");
  write_small_vae(file_, {.groups = "many"});
  refused("0 groups");
  write_small_vae(file_, {.extra = "decoder.surprise"});
  refused("nothing is known of its 'decoder.surprise'");
  expect_error(ErrorKind::input, "holds no autoencoder",
               [&] { Vae::load(folder_.path(), torch::kFloat32); });
}

TEST_F(SmallVaeTest, is_found_in_its_folder) {
  write_small_vae(folder_.path() / "diffusion_pytorch_model.safetensors");
  EXPECT_EQ(Vae::load(folder_.path(), torch::kFloat32).config().factor(), 4);
}

}  // namespace
}  // namespace eqm::test
