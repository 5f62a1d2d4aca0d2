// Writes a model as one file of its own, in the precision asked for, for us or for PyTorch.
#pragma once

#include <string>

#include "eqm/app/host.h"
#include "eqm/base/options.h"
#include "eqm/tensor/torch.h"

namespace eqm::app {

enum class ModelReader { eqm, reference };

struct ModelExportOptions {
  std::string model = {}, out = {};
  torch::ScalarType stored = torch::kFloat32;
  ModelReader reader = ModelReader::eqm;

  void declare(OptionSet& options);
};

struct ModelExportResult {
  std::string file = {};  // what was written: safetensors, or what torch.load reads
};

ModelExportResult run(const ModelExportOptions& options, Host& host);

}  // namespace eqm::app
