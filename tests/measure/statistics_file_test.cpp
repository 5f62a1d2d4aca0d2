#include "eqm/measure/statistics_file.h"

#include <gtest/gtest.h>

#include "eqm/data/memory_source.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/npz.h"
#include "eqm/tensor/bridge.h"
#include "tests/support/damage.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/golden_folder.h"
#include "tests/support/normal.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/zip_builder.h"

namespace eqm::test {
namespace {

using Arrays = std::vector<std::pair<std::string, Tensor>>;

void write_arrays(const std::filesystem::path& path, const Arrays& arrays) {
  NpzWriter writer(path, ZipMethod::deflated);
  for (const auto& [name, tensor] : arrays) {
    const TensorView view = to_view(tensor);
    writer.begin(name, view.dtype, {view.shape.begin() + 1, view.shape.end()});
    writer.write(view.bytes);
    writer.end();
  }
  writer.commit();
}

Moments moments(uint64_t seed, int64_t width) {
  Moments result;
  result.add(normal(seed, 50, width));
  return result;
}

TEST(StatisticsFile, reads_those_of_pytorch_fid_and_adm) {
  const auto folder = golden_root() / "nets" / "npz";
  const SafetensorsFile expected = SafetensorsFile::open(folder / "npz_expected.safetensors");
  EXPECT_FALSE(holds_statistics(folder / "samples_stored.npz"));
  const auto check = [&](const std::string& name, bool adm) {
    ASSERT_TRUE(holds_statistics(folder / name));
    const FeatureStatistics statistics = read_statistics(folder / name);
    const NpzFile file = NpzFile::open(folder / name);
    const NpyArray mean = file.read("mu", 1 << 20), covariance = file.read("sigma", 1 << 20);
    EXPECT_TRUE(close(statistics.features.mean(), to_tensor(mean.view(), nullptr), 0));
    EXPECT_TRUE(
        close(statistics.features.covariance(), to_tensor(covariance.view(), nullptr), 1e-15));
    EXPECT_EQ(statistics.spatial.count() > 0, adm);
    EXPECT_EQ(statistics.has_pictures, adm);
    EXPECT_EQ(statistics.network, "");
    EXPECT_EQ(statistics.pictures, 0);
  };
  check("pytorch_fid_stats.npz", false);
  check("ref_stats.npz", true);
}

TEST(StatisticsFile, comes_back_as_it_was_written_with_its_network_and_pictures) {
  const TemporaryFolder folder;
  const FeatureStatistics written = {
      .features = moments(1, 5), .spatial = moments(2, 3), .network = "judge", .pictures = 50};
  std::vector<Example> examples;
  for (int i = 0; i < 70; ++i) {
    examples.push_back({.shape = {1, 2, 2}, .bytes = std::vector<std::byte>(4, std::byte(i))});
  }
  const SourcePtr pictures = memory_source(std::move(examples), {}, "made");
  write_statistics(folder / "a.npz", written, pictures.get());
  const FeatureStatistics read = read_statistics(folder / "a.npz");
  EXPECT_TRUE(close(read.features.mean(), written.features.mean(), 0));
  EXPECT_TRUE(close(read.features.covariance(), written.features.covariance(), 1e-15));
  EXPECT_TRUE(close(read.spatial.covariance(), written.spatial.covariance(), 1e-15));
  EXPECT_NEAR(frechet_distance(read.features, written.features), 0, 1e-9);
  EXPECT_EQ(read.network, "judge");
  EXPECT_EQ(read.pictures, 50);
  const NpyArray array = NpzFile::open(folder / "a.npz").read("arr_0", 1 << 20);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{70, 2, 2, 3})) << "grey became colour";
  EXPECT_EQ(array.bytes.back(), std::byte{69});
  write_statistics(folder / "b.npz", {.features = moments(1, 5), .network = "judge"}, nullptr);
  EXPECT_EQ(NpzFile::open(folder / "b.npz").names(),
            (std::vector<std::string>{"mu", "sigma", "eqm"}));
}

TEST(StatisticsFile, of_another_network_is_refused) {
  const FeatureStatistics ours = {.features = moments(1, 5), .spatial = {}, .network = "judge 1"};
  EXPECT_NO_THROW(require_same_network(ours, "a.npz", "judge 1", 5));
  expect_input_error("of the features of 'judge 1', not of 'judge 2'",
                     [&] { require_same_network(ours, "a.npz", "judge 2", 5); });
  const FeatureStatistics foreign = {.features = moments(1, 5), .spatial = {}, .network = ""};
  EXPECT_NO_THROW(require_same_network(foreign, "a.npz", "judge 2", 5));
  expect_input_error("5 features, and the network has 6",
                     [&] { require_same_network(foreign, "a.npz", "judge 2", 6); });
}

TEST(StatisticsFile, with_anything_else_inside_is_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.npz";
  const auto expect = [&](const std::string& part, const Arrays& arrays) {
    write_arrays(path, arrays);
    expect_input_error(part, [&] { read_statistics(path); });
  };
  const Tensor mean = torch::zeros({3}, torch::kFloat64), unit = torch::eye(3, torch::kFloat64);
  expect("no array 'sigma'", {{"mu", mean}});
  expect("mu of type I64", {{"mu", mean.to(torch::kInt64)}, {"sigma", unit}});
  expect("mu [3] beside sigma [2, 3]", {{"mu", mean}, {"sigma", unit.narrow(0, 0, 2)}});
  expect("sigma that are not finite", {{"mu", mean}, {"sigma", unit / 0}});
  expect("not symmetric",
         {{"mu", mean}, {"sigma", torch::ones({3, 3}, torch::kFloat64).triu().contiguous()}});
  expect("mu_s [2] beside sigma_s [3, 3]",
         {{"mu", mean}, {"sigma", unit}, {"mu_s", mean.narrow(0, 0, 2)}, {"sigma_s", unit}});
  expect("record of its network",
         {{"mu", mean}, {"sigma", unit}, {"eqm", torch::full({4}, 123, torch::kUInt8)}});

  // Python objects, as numpy.save pickles them.
  std::string header = "{'descr': '|O', 'fortran_order': False, 'shape': (3,), }";
  header.resize(117, ' ');
  const std::string npy = std::string("\x93NUMPY\1\0\x76\0", 10) + header + "\n" + "a pickle";
  write_file(path,
             made_zip({{.name = "mu.npy", .content = npy}, {.name = "sigma.npy", .content = npy}}));
  expect_input_error("'|O'", [&] { read_statistics(path); });

  write_statistics(path, {.features = moments(1, 5), .network = "judge"}, nullptr);
  const MappedFile mapped = MappedFile::open(path);
  for (const Bytes& cut : truncations(Bytes(mapped.bytes().begin(), mapped.bytes().end()))) {
    write_file(folder / "cut.npz", cut);
    EXPECT_THROW(read_statistics(folder / "cut.npz"), Error);
  }
}

}  // namespace
}  // namespace eqm::test
