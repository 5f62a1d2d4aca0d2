// All options of a training run. A recipe is a TOML file of these; the run folder keeps the
// resolved ones.
#pragma once

#include <cstdint>
#include <string>

#include "eqm/base/options.h"
#include "eqm/codec/options.h"
#include "eqm/descend/options.h"
#include "eqm/landscape/gamma_draw.h"
#include "eqm/landscape/guidance.h"
#include "eqm/landscape/objective.h"
#include "eqm/train/adamw.h"
#include "eqm/train/schedule.h"

namespace eqm {

struct TrainDataOptions {
  std::string data = "fashion-mnist";
  std::string held_out_data;  // empty: the set's own test part, or a share of the training set
  int64_t held_out = 1000;
  int64_t size = 0;
  int64_t channels = 0;
  double scale = 0;
  bool flip = false;
  bool skip_damaged = false;
  int64_t loader_threads = 1;
  int64_t cache_mb = 2048;

  void declare(OptionSet& options);
};

struct ModelOptions {
  std::string model = "XS/4";
  int64_t width = 0;  // 0: as the preset has it, like the next three
  int64_t depth = 0;
  int64_t heads = 0;
  int64_t patch = 0;
  bool class_input = true;  // false: a network without classes
  bool time_input = true;   // the next two are for U-Nets
  double dropout = 0;
  double label_dropout = 0.1;
  std::string init;  // a model whose weights to begin with

  void declare(OptionSet& options);
};

// When things happen, in steps; 0 means never.
struct CadenceOptions {
  int64_t log_every = 50;
  int64_t evaluate_every = 1000;
  int64_t sample_every = 1000;
  int64_t quality_every = 0;
  int64_t checkpoint_every = 1000;
  int64_t keep_last = 2;
  int64_t keep_every = 0;
  int64_t preview = 4;  // samples per class in a preview

  void declare(OptionSet& options);
};

struct TrainOptions {
  TrainDataOptions data;
  ModelOptions model;
  Objective objective;
  GammaDraw gamma = GammaDraw::uniform;
  int64_t steps = 20000;
  double epochs = 0;  // above 0: how many passes over the data, in place of steps
  int64_t batch = 256;
  int64_t accumulate = 1;
  Schedule schedule;
  AdamWOptions adamw;
  double clip = 0;
  double ema = 0.9999;
  bool ema_warm_up = false;
  int64_t seed = 0;
  DescentOptions descent;   // of the previews, like the next two
  std::string labels = {};  // as labels_in_turn() takes them; at most ten are previewed
  GuidanceOptions guidance = {};
  CadenceOptions cadence;
  CodecOptions codec;

  void declare(OptionSet& options);
  // Throws a usage error that says which options do not go together.
  void validate() const;
  // The same with steps for epochs, for a set of so many training examples. The last batch may
  // reach into the next pass.
  TrainOptions resolve(int64_t examples) const;
};

}  // namespace eqm
