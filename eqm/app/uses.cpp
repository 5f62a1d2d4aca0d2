#include "eqm/app/uses.h"

#include <algorithm>

#include "eqm/app/denoise.h"
#include "eqm/app/doctor.h"
#include "eqm/app/encode.h"
#include "eqm/app/evaluate.h"
#include "eqm/app/export.h"
#include "eqm/app/import.h"
#include "eqm/app/info.h"
#include "eqm/app/inpaint.h"
#include "eqm/app/interpolate.h"
#include "eqm/app/landscape.h"
#include "eqm/app/likelihood.h"
#include "eqm/app/list.h"
#include "eqm/app/neighbours.h"
#include "eqm/app/reproduce.h"
#include "eqm/app/sample.h"
#include "eqm/app/score.h"
#include "eqm/app/sweep.h"
#include "eqm/app/train.h"
#include "eqm/base/error.h"

namespace eqm::app {
namespace {

Use train_use() {
  Use use = use_of<TrainingOptions>(
      "train", "Trains a model on images or vectors; can be stopped at any time and resumed");
  use.file_key = "recipe";
  return use;
}

}  // namespace

const std::vector<Use>& uses() {
  static const std::vector<Use> table = {
      use_of<LandscapeOptions>(
          "landscape",
          "Learns a two-dimensional landscape, descends it and draws it beside Flow Matching"),
      train_use(),
      use_of<SampleOptions>("sample", "Draws samples from a trained model", "model"),
      use_of<DenoiseOptions>("denoise", "Descends from partially noised images", "model"),
      use_of<InpaintOptions>("inpaint", "Fills in the missing parts of images", "model"),
      use_of<InterpolateOptions>("interpolate", "Goes from one image to another along a landscape",
                                 "model"),
      use_of<ScoreOptions>("score", "Scores how far sets of data are out of a model's distribution",
                           "model"),
      use_of<LikelihoodUseOptions>("likelihood", "Measures how likely a flow finds data", "model"),
      use_of<NeighbourOptions>(
          "neighbours", "Finds the training images nearest to pictures, such as a model's samples",
          "pictures"),
      use_of<InfoOptions>(
          "info", "Describes a model, a run, data, or any other file that eqm reads or writes",
          "path"),
      use_of<EncodingOptions>("encode",
                              "Turns pictures into latents of an autoencoder, to train on", "data"),
      use_of<ModelImportOptions>(
          "import",
          "Makes a model of a PyTorch checkpoint of EqM, SiT or a U-Net, or of safetensors",
          "from"),
      use_of<ModelExportOptions>("export", "Writes the model of a run or checkpoint as one file",
                                 "model"),
      use_of<EvaluateOptions>(
          "evaluate",
          "Measures how like the data samples are: FID and sFID, KID, precision, coverage, "
          "accuracy",
          "model"),
      use_of<SweepOptions>("sweep",
                           "Measures the quality of samples over a grid of sampler settings"),
      use_of<ReproduceOptions>("reproduce",
                               "Runs experiments of the paper and says which of its claims hold",
                               "experiment"),
      use_of<DoctorOptions>("doctor", "Shows what this machine offers and what is loaded"),
      use_of<ListOptions>("list", "Lists rules, presets, objectives, recipes, models or data sets",
                          "topic"),
  };
  return table;
}

const Use& use_named(std::string_view name) {
  const auto use = std::ranges::find(uses(), name, &Use::name);
  if (use == uses().end()) {
    throw Error(ErrorKind::internal, "there is no use '" + std::string(name) + "'",
                "name one of the table of uses");
  }
  return *use;
}

}  // namespace eqm::app
