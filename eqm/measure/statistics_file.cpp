#include "eqm/measure/statistics_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/data/batch.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/npz.h"
#include "eqm/io/text.h"
#include "eqm/tensor/bridge.h"

namespace eqm {
namespace {

constexpr int64_t kMostFeatures = 16384;  // a covariance of 2 GB
constexpr uint64_t kMostBytesOfArray = uint64_t{8} * kMostFeatures * kMostFeatures;
constexpr uint64_t kMostBytesOfRecord = 1 << 16;
constexpr const char* kRecord = "eqm";
constexpr int64_t kUnknownCount = 2;  // covariances in files have their divisor already

[[noreturn]] void refuse_statistics(const std::string& file, const std::string& problem,
                                    const std::string& hint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(file), problem), hint);
}

Tensor read_numbers(const NpzFile& file, const std::string& name, const std::string& path) {
  const auto array = std::make_shared<const NpyArray>(file.read(name, kMostBytesOfArray));
  if (array->dtype != Dtype::f32 && array->dtype != Dtype::f64) {
    refuse_statistics(path, fmt::format("has {} of type {}", name, name_of(array->dtype)),
                      "means and covariances are float32 or float64");
  }
  const Tensor numbers = to_tensor(array->view(), array).to(torch::kFloat64).clone();
  if (!numbers.isfinite().all().item<bool>()) {
    refuse_statistics(path, fmt::format("has numbers in {} that are not finite", name),
                      "the features it was made from were not; make it again");
  }
  return numbers;
}

// `suffix`: that of the arrays' names.
Moments read_moments(const NpzFile& file, const std::string& suffix, int64_t count,
                     const std::string& path) {
  const Tensor mean = read_numbers(file, "mu" + suffix, path),
               covariance = read_numbers(file, "sigma" + suffix, path);
  const bool fits = mean.dim() == 1 && mean.size(0) > 0 &&
                    covariance.sizes() == Shape{mean.size(0), mean.size(0)};
  if (!fits) {
    refuse_statistics(
        path,
        fmt::format("has mu{0} [{1}] beside sigma{0} [{2}]", suffix,
                    fmt::join(mean.sizes().vec(), ", "), fmt::join(covariance.sizes().vec(), ", ")),
        "a mean [d] and a covariance [d, d] are expected");
  }
  const double largest = covariance.abs().max().item<double>();
  if ((covariance - covariance.t()).abs().max().item<double>() > 1e-6 * largest) {
    refuse_statistics(path,
                      fmt::format("has no covariance in sigma{}: it is not symmetric", suffix),
                      "is it the file you meant?");
  }
  if (covariance.diagonal().min().item<double>() < 0) {
    refuse_statistics(path, fmt::format("has negative variances in sigma{}", suffix),
                      "is it the file you meant?");
  }
  return {count, mean, covariance};
}

struct Record {
  std::string network;
  int64_t pictures = 0;
};

Record read_record(const NpzFile& file, const std::string& path) {
  if (!file.contains(kRecord)) return {};
  const NpyArray array = file.read(kRecord, kMostBytesOfRecord);
  const auto json = nlohmann::json::parse(text_of(array.bytes), nullptr, false);
  const bool sound = json.is_object() && json.contains("network") && json["network"].is_string() &&
                     json.contains("pictures") && json["pictures"].is_number_integer();
  if (!sound) {
    refuse_statistics(path, "has a record of its network that cannot be read",
                      std::string(kDamagedFileHint));
  }
  return {.network = json["network"], .pictures = json["pictures"]};
}

void write_rows(NpzWriter& writer, const std::string& name, const Tensor& numbers) {
  const Tensor wide = numbers.to(torch::kFloat64).cpu().contiguous();
  writer.begin(name, Dtype::f64, {wide.sizes().begin() + 1, wide.sizes().end()});
  writer.write(to_view(wide).bytes);
  writer.end();
}

void write_moments(NpzWriter& writer, const std::string& suffix, const Moments& moments) {
  if (moments.count() == 0) return;
  write_rows(writer, "mu" + suffix, moments.mean());
  write_rows(writer, "sigma" + suffix, moments.covariance());
}

void write_pictures(NpzWriter& writer, const Source& pictures) {
  constexpr int64_t kPicturesTogether = 64;
  bool begun = false;
  for_each_batch(pictures, kPicturesTogether, [&](const Batch& batch) {
    const Tensor planes = to_tensor(batch.view(), batch.bytes).expand({-1, 3, -1, -1});
    const Tensor rows = planes.permute({0, 2, 3, 1}).contiguous();
    if (!begun) writer.begin("arr_0", Dtype::u8, {rows.sizes().begin() + 1, rows.sizes().end()});
    begun = true;
    writer.write(to_view(rows).bytes);
    return true;
  });
  writer.end();
}

}  // namespace

bool holds_statistics(const std::filesystem::path& path) {
  if (kind_of_file(path) != FileKind::zip) return false;
  const NpzFile file = NpzFile::open(path);
  return file.contains("mu") && file.contains("sigma");
}

FeatureStatistics read_statistics(const std::filesystem::path& path) {
  const std::string name = path.string();
  const NpzFile file = NpzFile::open(path);
  const Record record = read_record(file, name);
  const int64_t count = record.pictures > 1 ? record.pictures : kUnknownCount;
  FeatureStatistics statistics = {.features = read_moments(file, "", count, name),
                                  .spatial = {},
                                  .network = record.network,
                                  .pictures = record.pictures,
                                  .has_pictures = file.contains("arr_0")};
  if (file.contains("mu_s") && file.contains("sigma_s")) {
    statistics.spatial = read_moments(file, "_s", count, name);
  }
  return statistics;
}

void require_same_network(const FeatureStatistics& statistics, const std::filesystem::path& path,
                          const std::string& network, int64_t features) {
  if (!statistics.network.empty() && statistics.network != network) {
    refuse_statistics(path.string(),
                      fmt::format("has statistics of the features of {}, not of {}",
                                  in_quotes(statistics.network), in_quotes(network)),
                      "compare by the same network in the same convention ({features}, "
                      "{convention}), or make the statistics again");
  }
  const int64_t stored = statistics.features.mean().size(0);
  if (stored == features) return;
  refuse_statistics(
      path.string(),
      fmt::format("has statistics of {} features, and the network has {}", stored, features),
      "they are of another network; compare by the same one ({features})");
}

void write_statistics(const std::filesystem::path& path, const FeatureStatistics& statistics,
                      const Source* pictures) {
  const torch::NoGradGuard guard;
  NpzWriter writer(path, ZipMethod::stored);
  if (pictures != nullptr) write_pictures(writer, *pictures);
  write_moments(writer, "", statistics.features);
  write_moments(writer, "_s", statistics.spatial);
  const std::string record =
      nlohmann::json{{"network", statistics.network}, {"pictures", statistics.pictures}}.dump();
  writer.begin(kRecord, Dtype::u8, {});
  writer.write(std::as_bytes(std::span(record)));
  writer.end();
  writer.commit();
}

}  // namespace eqm
