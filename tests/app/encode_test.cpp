#include "eqm/app/encode.h"

#include <gtest/gtest.h>

#include "eqm/io/safetensors.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"
#include "tests/support/small_vae.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

class EncodeUse : public ::testing::Test {
 protected:
  EncodeUse() {
    write_small_vae(folder_ / "vae.safetensors");
    std::vector<uint8_t> pixels(static_cast<size_t>(kPictures * 3 * 8 * 8));
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 37 % 251);
    write_safetensors(
        folder_ / "data.safetensors",
        {{"images", {Dtype::u8, {kPictures, 3, 8, 8}, std::as_bytes(std::span(pixels))}}});
  }

  app::EncodingOptions options() const {
    app::EncodingOptions options = {.data = (folder_ / "data.safetensors").string(),
                                    .out = (folder_ / "latents").string()};
    options.how = {.per_shard = 3, .batch = 1};
    options.codec.vae = (folder_ / "vae.safetensors").string();
    options.runtime.threads = 1;
    return options;
  }

  static constexpr int64_t kPictures = 8;
  TemporaryFolder folder_;
};

TEST_F(EncodeUse, answers_what_it_wrote_and_a_check_finds_the_same) {
  RecordingHost host;
  const app::EncodingResult result = app::run(options(), host);
  ASSERT_EQ(result.parts.size(), 1U);
  EXPECT_EQ(result.parts[0].name, "train");
  EXPECT_EQ(result.parts[0].folder, folder_ / "latents" / "train");
  EXPECT_EQ(result.parts[0].pictures, kPictures);
  EXPECT_EQ(result.parts[0].shards, 3);
  EXPECT_TRUE(result.divergence.has_value());
  EXPECT_FALSE(result.stopped);

  app::EncodingOptions check = options();
  check.check = true;
  const app::EncodingResult checked = app::run(check, host);
  ASSERT_EQ(checked.parts.size(), 1U);
  EXPECT_EQ(checked.parts[0].pictures, kPictures);
  EXPECT_EQ(checked.parts[0].planned_shards, 3);
}

TEST_F(EncodeUse, keeps_finished_shards_when_it_is_stopped_and_resumes_after_them) {
  RecordingHost stopping(5);
  const app::EncodingResult stopped = app::run(options(), stopping);
  EXPECT_TRUE(stopped.stopped);
  EXPECT_EQ(stopping.updates(), 5);
  EXPECT_EQ(read_latent_manifest(folder_ / "latents" / "train").examples(), 3);

  RecordingHost host;
  const app::EncodingResult rest = app::run(options(), host);
  EXPECT_FALSE(rest.stopped);
  EXPECT_EQ(rest.parts.at(0).pictures, kPictures);
  EXPECT_EQ(host.updates(), kPictures - 3);
}

TEST_F(EncodeUse, says_so_when_nothing_was_left_to_do) {
  RecordingHost host;
  app::run(options(), host);
  RecordingHost again;
  EXPECT_FALSE(app::run(options(), again).divergence.has_value());
  EXPECT_EQ(again.logged(), "info: nothing was left to do; {check} compares the checksums\n");
}

TEST_F(EncodeUse, refusals_name_options_by_key) {
  RecordingHost host;
  app::EncodingOptions asked = options();
  asked.data.clear();
  EXPECT_EQ(hint_of([&] { app::run(asked, host); }), "use {data} PATH");
  asked.check = true;
  EXPECT_EQ(hint_of([&] { app::run(asked, host); }), "give the {out} that they were encoded to");
  asked.out.clear();
  EXPECT_EQ(hint_of([&] { app::run(asked, host); }), "use {out}");
}

}  // namespace
}  // namespace eqm::test
