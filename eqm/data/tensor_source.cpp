#include "eqm/data/tensor_source.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/base/half.h"
#include "eqm/data/map_source.h"
#include "eqm/data/packed_source.h"
#include "eqm/data/stored_labels.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr const char* kPosteriors = "posteriors";
constexpr std::array kNames = {"x", "images", "latents", kPosteriors};

[[noreturn]] void refuse_tensors(const std::string& file, std::string_view problem) {
  throw Error(
      ErrorKind::input, fmt::format("{} {}", in_quotes(file), problem),
      "expected a tensor x, images, latents or posteriors [n, ...] of U8, F32, F16 or BF16, "
      "and optionally integer labels [n]");
}

const TensorView& examples_in(const SafetensorsFile& file, const std::string& path) {
  for (const char* name : kNames) {
    if (!file.contains(name)) continue;
    const TensorView& tensor = file.at(name);
    if (tensor.shape.size() < 2 || tensor.bytes.empty()) {
      refuse_tensors(path, fmt::format("has no list of examples in tensor '{}'", name));
    }
    const Dtype dtype = tensor.dtype;
    if (dtype != Dtype::u8 && dtype != Dtype::f32 && dtype != Dtype::f16 && dtype != Dtype::bf16) {
      refuse_tensors(path, fmt::format("has examples of type {}", name_of(dtype)));
    }
    return tensor;
  }
  refuse_tensors(path, "has no tensor 'x', 'images', 'latents' or 'posteriors'");
}

// How many posteriors an example has; 0 when it is no posterior.
int64_t posteriors_in(const SafetensorsFile& file, const std::string& path) {
  if (!file.contains(kPosteriors) || &examples_in(file, path) != &file.at(kPosteriors)) return 0;
  const auto found = file.metadata().find("views");
  const bool mirrored = found != file.metadata().end() && found->second == "2";
  const TensorView& tensor = file.at(kPosteriors);
  const int64_t views = mirrored ? 2 : 1;
  if (tensor.dtype == Dtype::u8 || tensor.shape[1] % (2 * views) != 0) {
    refuse_tensors(path, "has posteriors that are not means and log-variances side by side");
  }
  return views;
}

std::vector<int64_t> labels_in(const SafetensorsFile& file, int64_t count,
                               const std::string& path) {
  if (!file.contains("labels")) return {};
  return stored_labels(file.at("labels"), count, path);
}

std::vector<std::string> class_names_in(const SafetensorsFile& file,
                                        std::span<const int64_t> labels, const std::string& path) {
  const auto found = file.metadata().find("class_names");
  if (labels.empty() || found == file.metadata().end()) return numbered_classes(labels);
  const nlohmann::json json = nlohmann::json::parse(found->second, nullptr, false);
  const bool is_list =
      json.is_array() &&
      std::all_of(json.begin(), json.end(), [](const auto& name) { return name.is_string(); });
  if (!is_list) {
    throw Error(ErrorKind::input,
                in_quotes(path) + " has class_names that are not a JSON list of strings",
                "write them as [\"cat\", \"dog\"]");
  }
  return json.get<std::vector<std::string>>();
}

// States as F32, each finite.
Example as_floats(Example example) {
  const size_t count = example.bytes.size() / size_of(example.dtype);
  std::vector<std::byte> wide(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    float value = 0;
    if (example.dtype == Dtype::f32) value = number_at<float>(example.bytes, i);
    if (example.dtype == Dtype::f16) value = float_from_f16(number_at<uint16_t>(example.bytes, i));
    if (example.dtype == Dtype::bf16)
      value = float_from_bf16(number_at<uint16_t>(example.bytes, i));
    if (!std::isfinite(value)) {
      throw Error(ErrorKind::input, fmt::format("number {} is not finite", i),
                  "the file was made by a computation that failed; make it again");
    }
    std::memcpy(wide.data() + i * sizeof(float), &value, sizeof(float));
  }
  example.dtype = Dtype::f32;
  example.bytes = std::move(wide);
  return example;
}

}  // namespace

bool names_examples(const SafetensorsFile& file) {
  return std::ranges::any_of(kNames, [&](const char* name) { return file.contains(name); });
}

SourcePtr open_tensor_source(const std::filesystem::path& path, std::optional<uint64_t> checksum) {
  const std::string name = path.string();
  const SafetensorsFile file = SafetensorsFile::open(path);
  const TensorView& tensor = examples_in(file, name);
  std::vector<int64_t> labels = labels_in(file, tensor.shape[0], name);
  std::vector<std::string> classes = class_names_in(file, labels, name);
  SourcePtr source = packed_source({.file = name,
                                    .dtype = tensor.dtype,
                                    .shape = {tensor.shape.begin() + 1, tensor.shape.end()},
                                    .posteriors = posteriors_in(file, name),
                                    .count = tensor.shape[0],
                                    .bytes = tensor.bytes,
                                    .labels = std::move(labels),
                                    .classes = std::move(classes),
                                    .owner = file.mapping(),
                                    .checksum = checksum});
  if (tensor.dtype == Dtype::u8) return source;
  return map_source(std::move(source), "as F32", as_floats);
}

}  // namespace eqm
