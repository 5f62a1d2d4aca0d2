// Means and covariances of features in an .npz, so that a reference is looked at once and can be
// exchanged: mu [d] and sigma [d, d] as pytorch-fid writes them; mu_s and sigma_s of the spatial
// features, and the pictures themselves (arr_0), as ADM's evaluator wants them. Ours also record
// whose features they are (`eqm`, a JSON text as bytes); others say nothing of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "eqm/measure/feature_net.h"

namespace eqm {

struct FeatureStatistics {
  Moments features;
  Moments spatial = {};       // of no rows where there are none
  std::string network = {};   // FeatureNet::identity(); empty when the file does not say
  int64_t pictures = 0;       // how many were looked at; 0 when the file does not say
  bool has_pictures = false;  // the file holds them, too
};

// Whether the file is an .npz with mu and sigma. Kind io when it cannot be read.
bool holds_statistics(const std::filesystem::path& path);

// Kind input when arrays are missing, of another type or shape, or not finite.
FeatureStatistics read_statistics(const std::filesystem::path& path);

// Kind input, naming both, when the statistics are of another network or another convention, or
// when their size shows that they must be.
void require_same_network(const FeatureStatistics& statistics, const std::filesystem::path& path,
                          const std::string& network, int64_t features);

// In float64. `pictures` are written, too, as arr_0 [n, H, W, 3], unless null; they are grey or
// colour and of one size.
void write_statistics(const std::filesystem::path& path, const FeatureStatistics& statistics,
                      const Source* pictures);

}  // namespace eqm
