#include "eqm/data/latents.h"

#include <cstring>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "eqm/data/augment.h"
#include "eqm/data/batch.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/layout.h"
#include "eqm/data/loader.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/open_source.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/safetensors.h"
#include "tests/support/content_of.h"
#include "tests/support/expect_error.h"
#include "tests/support/peak_memory.h"
#include "tests/support/temporary_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;
using test::content_of;
using test::expect_error;
using test::expect_input_error;

// Five examples [2 views * 2 * 1, 1, 2] of seven pictures in shards of at most three; example i
// holds 10 i, 10 i + 1, ...
class Latents : public ::testing::Test {
 protected:
  static std::vector<float> numbers_of(int64_t example) {
    std::vector<float> numbers;
    for (int k = 0; k < 8; ++k) numbers.push_back(static_cast<float>(10 * example + k));
    return numbers;
  }

  LatentShard write_shard(const fs::path& folder, int64_t number, int64_t count,
                          const std::string& views = "2") {
    std::vector<float> numbers;
    std::vector<int64_t> labels;
    for (int64_t i = 2 * number; i < 2 * number + count; ++i) {
      const std::vector<float> some = numbers_of(i);
      numbers.insert(numbers.end(), some.begin(), some.end());
      labels.push_back(i % 2);
    }
    const fs::path path = folder / ("shard-" + std::to_string(number) + ".safetensors");
    write_safetensors(
        path,
        {{"posteriors",
          {.dtype = Dtype::f32,
           .shape = {count, 4, 1, 2},
           .bytes = std::as_bytes(std::span(numbers))}},
         {"labels",
          {.dtype = Dtype::i64, .shape = {count}, .bytes = std::as_bytes(std::span(labels))}}},
        {{"views", views}, {"class_names", R"(["cat", "dog"])"}});
    return describe_shard(path, count);
  }

  LatentManifest write(const fs::path& folder) {
    create_folder(folder);
    LatentManifest manifest;
    manifest.recipe = {.size = 8,
                       .views = 2,
                       .stored = "F32",
                       .pictures = 7,
                       .per_shard = 3,
                       .data = 0xfedcba9876543210,
                       .autoencoder = 7};
    for (int64_t i = 0; i < 3; ++i) {
      manifest.shards.push_back(write_shard(folder, i, i == 2 ? 1 : 2));
    }
    manifest.shards[1].skipped = {"'a\\x0ab.png'"};
    write_latent_manifest(manifest, folder);
    return manifest;
  }

  void damage(const std::string& name, const std::string& from, const std::string& to) {
    std::string text = content_of(folder_ / name);
    const size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos);
    text.replace(place, from.size(), to);
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  test::TemporaryFolder folder_;
};

// Shards of 16 MB that are holes: pages of a mapping count once they are read.
TEST_F(Latents, of_many_shards_open_without_reading_examples) {
  constexpr int64_t kShards = 32, kExamples = 64, kNumbers = 1 << 16;
  LatentManifest manifest;
  manifest.recipe = {.size = 8,
                     .views = 1,
                     .stored = "F32",
                     .pictures = kShards * kExamples,
                     .per_shard = kExamples,
                     .data = 1,
                     .autoencoder = 2};
  constexpr uint64_t kBytes = kExamples * kNumbers * sizeof(float);
  std::string header = R"({"posteriors":{"dtype":"F32","shape":[64,65536],"data_offsets":[0,)" +
                       std::to_string(kBytes) + "]}}";
  header.resize(128, ' ');
  for (int64_t i = 0; i < kShards; ++i) {
    const std::string name = "shard-" + std::to_string(i) + ".safetensors";
    write_file(folder_ / name, std::string("\x80\0\0\0\0\0\0\0", 8) + header);
    fs::resize_file(folder_ / name, 8 + header.size() + kBytes);
    manifest.shards.push_back({.file = name,
                               .count = kExamples,
                               .bytes = 8 + header.size() + kBytes,
                               .crc32c = static_cast<uint32_t>(i)});
  }
  write_latent_manifest(manifest, folder_.path());
  SourcePtr source;
  test::expect_memory_below(uint64_t{64} << 20, [&] { source = open_latents(folder_.path()); });
  EXPECT_EQ(source->size(), kShards * kExamples);
  const uint64_t fingerprint = source->fingerprint();
  manifest.shards[7].crc32c = 1000;
  write_latent_manifest(manifest, folder_.path());
  EXPECT_NE(open_latents(folder_.path())->fingerprint(), fingerprint);
}

// A set must not hold a file open for each of its shards: processes may often have 1,024.
TEST_F(Latents, of_very_many_shards_open_and_read_with_few_open_files) {
  constexpr int64_t kShards = 1000;
  LatentManifest manifest;
  manifest.recipe = {.size = 8,
                     .views = 2,
                     .stored = "F32",
                     .pictures = 2 * kShards,
                     .per_shard = 2,
                     .data = 1,
                     .autoencoder = 2};
  for (int64_t i = 0; i < kShards; ++i) {
    manifest.shards.push_back(write_shard(folder_.path(), i, 2));
  }
  write_latent_manifest(manifest, folder_.path());
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit few = before;
  few.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_NO_THROW({
    const SourcePtr source = open_latents(folder_.path());
    EXPECT_EQ(source->size(), 2 * kShards);
    for (const int64_t i : {int64_t{0}, int64_t{1}, kShards, 2 * kShards - 1}) {
      const Example example = source->get(i);
      const std::vector<float> expected = numbers_of(i);
      ASSERT_EQ(example.bytes.size(), expected.size() * sizeof(float));
      EXPECT_EQ(std::memcmp(example.bytes.data(), expected.data(), example.bytes.size()), 0) << i;
      EXPECT_EQ(example.label, i % 2);
    }
  });
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST_F(Latents, manifest_reads_back) {
  const LatentManifest made = write(folder_.path());
  const LatentManifest read = read_latent_manifest(folder_.path());
  EXPECT_EQ(read.recipe, made.recipe);
  EXPECT_EQ(read.shards.size(), 3u);
  EXPECT_EQ(read.examples(), 5);
  EXPECT_TRUE(read.complete());
  EXPECT_EQ(read.shards[2].crc32c, made.shards[2].crc32c);
  EXPECT_EQ(read.skipped(), 1);
  EXPECT_EQ(read.shards[1].skipped, made.shards[1].skipped);
}

TEST_F(Latents, are_one_source_of_all_shards) {
  write(folder_.path());
  const SourcePtr source = open_source(folder_.path().string(), {});
  ASSERT_EQ(source->size(), 5);
  EXPECT_EQ(source->class_names(), (std::vector<std::string>{"cat", "dog"}));
  const Layout layout = layout_of(*source);
  EXPECT_EQ(layout.posteriors, 2);
  EXPECT_EQ(layout.state_shape(), (std::vector<int64_t>{1, 1, 2}));
  for (int64_t i = 0; i < 5; ++i) {
    const Example example = source->get(i);
    const std::vector<float> expected = numbers_of(i);
    EXPECT_EQ(std::memcmp(example.bytes.data(), expected.data(), example.bytes.size()), 0);
    EXPECT_EQ(example.label, i % 2);
  }
}

TEST_F(Latents, give_one_view_to_a_batch) {
  write(folder_.path());
  const SourcePtr source = open_latents(folder_.path());
  const Batch batch = read_batch(*source, 1, 2);
  EXPECT_TRUE(batch.posterior);
  EXPECT_EQ(batch.shape, (std::vector<int64_t>{2, 2, 1, 2}));
  const auto* numbers = reinterpret_cast<const float*>(batch.bytes->data());
  EXPECT_EQ(numbers[0], 10);
  EXPECT_EQ(numbers[4], 20);
}

TEST_F(Latents, mirror_every_other_example_when_asked) {
  write(folder_.path());
  const SourcePtr source = open_latents(folder_.path());
  BatchMaker maker(source, {.batch = 5, .seed = 3, .flip = true}, nullptr);
  int mirrored = 0;
  for (int64_t number = 0; number < 8; ++number) {
    const Batch batch = *maker.make(number);
    const auto* numbers = reinterpret_cast<const float*>(batch.bytes->data());
    for (size_t row = 0; row < 5; ++row) {
      const bool flipped = is_flipped(3, number, batch.indices[row]);
      EXPECT_EQ(numbers[4 * row], static_cast<float>(10 * batch.indices[row] + (flipped ? 4 : 0)));
      mirrored += flipped ? 1 : 0;
    }
  }
  EXPECT_GT(mirrored, 5);
  EXPECT_LT(mirrored, 35);
}

TEST_F(Latents, without_mirrored_ones_cannot_be_flipped) {
  write(folder_.path());
  write_shard(folder_.path(), 0, 2, "1");
  const SourcePtr source = open_source((folder_ / "shard-0.safetensors").string(), {});
  expect_error(ErrorKind::usage, "without those of mirrored pictures",
               [&] { BatchMaker(source, {.batch = 2, .flip = true}, nullptr); });
}

TEST_F(Latents, have_their_parts_side_by_side) {
  write(folder_ / "train");
  const std::string all = folder_.path().string();
  EXPECT_EQ(open_source(all, {})->size(), 5);
  EXPECT_THROW(open_source(all, {.split = Split::test}), MissingPart);
  write(folder_ / "test");
  EXPECT_EQ(open_source(all, {.split = Split::test})->size(), 5);
  EXPECT_EQ(open_source(all + "/train/", {.split = Split::test})->size(), 5);
}

TEST_F(Latents, refuse_a_set_that_is_not_finished) {
  LatentManifest manifest = write(folder_.path());
  manifest.shards.pop_back();
  write_latent_manifest(manifest, folder_.path());
  expect_input_error("has 2 of 3 shards only", [&] { open_latents(folder_.path()); });
}

TEST_F(Latents, notice_missing_and_changed_shards) {
  const LatentManifest manifest = write(folder_.path());
  damage("shard-1.safetensors", "cat", "cow");
  check_shards(manifest, folder_.path(), false);
  expect_input_error("another checksum", [&] { check_shards(manifest, folder_.path(), true); });
  fs::resize_file(folder_ / "shard-1.safetensors", 50);
  expect_input_error("is missing, or not as long", [&] { open_latents(folder_.path()); });
  fs::remove(folder_ / "shard-1.safetensors");
  expect_input_error("is missing", [&] { open_latents(folder_.path()); });
}

TEST_F(Latents, refuse_shards_of_another_count) {
  LatentManifest manifest = write(folder_.path());
  manifest.shards[0].count = 1;
  write_latent_manifest(manifest, folder_.path());
  expect_input_error("holds 2 latents where the manifest says 1",
                     [&] { open_latents(folder_.path()); });
}

TEST_F(Latents, are_checked_against_all_that_the_manifest_says) {
  const LatentManifest made = write(folder_.path());
  EXPECT_EQ(check_latents(folder_.path()).examples(), 5);
  const auto expect_refusal = [&](const std::string& part, const LatentManifest& wrong) {
    SCOPED_TRACE(part);
    write_latent_manifest(wrong, folder_.path());
    expect_input_error(part, [&] { check_latents(folder_.path()); });
  };
  LatentManifest wrong = made;
  wrong.shards[0].count = 1;
  expect_refusal("holds 2 latents where the manifest says 1", wrong);
  wrong = made;
  wrong.recipe.stored = "F16";
  expect_refusal("does not hold F16 posteriors of 2 views", wrong);
  wrong = made;
  wrong.recipe.views = 1;
  expect_refusal("does not hold F32 posteriors of 1 view a picture", wrong);
  wrong = made;
  const std::vector<float> numbers(8, 0.F);
  write_safetensors(
      folder_ / "shard-2.safetensors",
      {{"posteriors",
        {.dtype = Dtype::f32, .shape = {1, 8, 1, 1}, .bytes = std::as_bytes(std::span(numbers))}}},
      {{"views", "2"}});
  wrong.shards[2] = describe_shard(folder_ / "shard-2.safetensors", 1);
  expect_refusal("shard-2.safetensors", wrong);  // of another shape
  wrong.shards.pop_back();                       // not finished, which is no damage
  write_latent_manifest(wrong, folder_.path());
  EXPECT_EQ(check_latents(folder_.path()).examples(), 4);
}

TEST_F(Latents, are_not_every_folder_with_a_manifest) {
  EXPECT_FALSE(has_latents(folder_.path()));
  for (const char* text : {"", "[]", "{}", R"({"format": 1})", R"({"format": "other"})"}) {
    write_file(folder_ / "manifest.json", text);
    EXPECT_FALSE(has_latents(folder_.path())) << text;
  }
  write_file(folder_ / "manifest.json", R"({"format": "eqm latents 99"})");
  EXPECT_TRUE(has_latents(folder_.path()));
}

TEST_F(Latents, refuse_manifests_that_are_none) {
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"{", "["},
                                                        {"eqm latents 1", "eqm latents 9"},
                                                        {"fedcba9876543210", "fedcba987654321z"},
                                                        {"shard-0", "../shard"},
                                                        {"\"per_shard\": 3", "\"per_shard\": 0"},
                                                        {"\"count\": 2", "\"count\": -2"},
                                                        {"\"pictures\": 7", "\"pictures\": \"7\""},
                                                        {"\"pictures\": 7", "\"pictures\": 6"},
                                                        {"\"count\": 2", "\"count\": 4"},
                                                        {"shard-1", "shard-0"},
                                                        {"\"size\": 8", "\"size\": -8"},
                                                        {"\"views\": 2", "\"views\": 3"},
                                                        {"\"tile\": 0", "\"tile\": -1"},
                                                        {"\"F32\"", "\"F64\""},
                                                        {"\"shards\"", "\"shard\""}}) {
    SCOPED_TRACE(to);
    write(folder_.path());
    damage("manifest.json", from, to);
    expect_input_error("is no manifest of latents", [&] { open_latents(folder_.path()); });
  }
}

TEST_F(Latents, refuse_posteriors_that_are_no_pairs) {
  const std::vector<float> numbers(6, 0.F);
  write_safetensors(
      folder_ / "odd.safetensors",
      {{"posteriors",
        {.dtype = Dtype::f32, .shape = {2, 3, 1}, .bytes = std::as_bytes(std::span(numbers))}}});
  expect_input_error("means and log-variances",
                     [&] { open_source((folder_ / "odd.safetensors").string(), {}); });
}

}  // namespace
}  // namespace eqm
