// The weights of the golden Inception: they follow from a formula on names and places instead of
// being stored (nets/README.md of the fixtures, section 2).
#pragma once

#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "eqm/io/safetensors.h"
#include "tests/support/golden_folder.h"

namespace eqm::test {

struct MadeWeights {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<float> values;
};

inline nlohmann::json inception_json(const std::string& name) {
  std::ifstream file(golden_root() / "nets/inception" / name);
  return nlohmann::json::parse(file);
}

inline std::vector<float> made_values(const std::string& name, const std::vector<int64_t>& shape,
                                      uint64_t seed) {
  uint64_t key = 0xcbf29ce484222325;
  for (const char letter : name) key = (key ^ static_cast<uint8_t>(letter)) * 0x100000001b3;
  key ^= seed;
  int64_t count = 1, fan_in = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    count *= shape[i];
    if (i > 0) fan_in *= shape[i];
  }
  const auto value = [&](double u) {
    const double s = 2 * u - 1;
    if (name == "fc.bias") return 0.5 * s;
    if (name.ends_with("bn.weight")) return 0.35 + 0.4 * u;
    if (name.ends_with("bn.bias") || name.ends_with("running_mean")) return 0.2 * s;
    if (name.ends_with("running_var")) return 0.05 + 0.95 * u;
    return std::sqrt(6.0 / static_cast<double>(fan_in)) * s;
  };
  std::vector<float> values;
  values.reserve(static_cast<size_t>(count));
  for (int64_t j = 0; j < count; ++j) {
    uint64_t z = key + (static_cast<uint64_t>(j) + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    z ^= z >> 31;
    values.push_back(static_cast<float>(value(static_cast<double>(z >> 11) * 0x1p-53)));
  }
  return values;
}

inline std::vector<MadeWeights> made_inception() {
  const std::string seed = inception_json("inception.weights_check.json").at("seed");
  const nlohmann::json names = inception_json("fid_inception_param_names.json");
  std::vector<MadeWeights> all;
  for (const auto& [name, shape] : names.at("tensors").items()) {
    const std::vector<int64_t> sizes = shape;
    all.push_back({name, sizes, made_values(name, sizes, std::stoull(seed, nullptr, 16))});
  }
  return all;
}

inline void write_made_inception(const std::filesystem::path& path) {
  const std::vector<MadeWeights> weights = made_inception();
  std::vector<NamedTensor> tensors;
  for (const MadeWeights& item : weights) {
    tensors.push_back({item.name, {Dtype::f32, item.shape, std::as_bytes(std::span(item.values))}});
  }
  write_safetensors(path, tensors);
}

}  // namespace eqm::test
