// Encodes pictures as latents on disk, to train on, or checks latents that are there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/codec/encode.h"
#include "eqm/codec/options.h"
#include "eqm/data/split.h"
#include "eqm/tensor/runtime.h"

namespace eqm::app {

struct EncodingOptions {
  std::string data = {}, out = "out/latents";
  Split part = Split::train;
  int64_t size = 0;
  bool check = false;  // no encoding: compares what is there with its checksums
  EncodeOptions how = {};
  CodecOptions codec = {};
  RuntimeOptions runtime = {};

  void declare(OptionSet& options);
};

// One part of a folder of latents as its manifest describes it.
struct LatentPart {
  std::string name = {};  // "train" or "test"
  std::filesystem::path folder = {};
  int64_t shards = 0, planned_shards = 0, pictures = 0;
};

struct EncodingResult {
  std::vector<LatentPart> parts = {};  // the one encoded, or all that were checked
  std::optional<double> divergence =
      {};                // KL of the posteriors, nats per picture; none: nothing to do
  bool stopped = false;  // before the part was whole; finished shards are kept
};

EncodingResult run(const EncodingOptions& options, Host& host);

}  // namespace eqm::app
