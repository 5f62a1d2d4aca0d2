#include "eqm/base/option_aliases.h"

#include <vector>

namespace eqm {
namespace {

struct Alias {
  std::vector<std::string_view> guesses;  // without dashes; single letters are short flags
  std::vector<std::string_view> options;  // what they may mean: the first that the verb has
};

const std::vector<Alias>& aliases() {
  static const std::vector<Alias> table = {
      {{"steps", "num-steps", "n-steps", "nfe", "iterations", "iters", "max-steps", "max-iter",
        "max-iters", "train-steps", "num-sampling-steps", "num-inference-steps", "sampling-steps"},
       {"steps", "limit"}},
      {{"epochs", "num-epochs", "max-epochs", "e"}, {"epochs", "steps"}},
      {{"cfg", "cfg-scale", "guidance-scale", "scale", "guidance-weight", "g", "w"}, {"guidance"}},
      {{"num", "n", "num-samples", "n-samples", "number", "samples", "count", "num-fid-samples"},
       {"count", "samples"}},
      {{"batch-size", "bs", "b", "global-batch-size", "per-proc-batch-size", "rows"},
       {"batch", "rows"}},
      {{"grad-accum", "gradient-accumulation-steps", "accum"}, {"accumulate"}},
      {{"output", "o", "output-dir", "outdir", "out-dir", "output-path", "save", "save-dir",
        "results-dir", "logdir", "sample-dir"},
       {"out"}},
      {{"lr", "learning-rate", "step-size", "stepsize"}, {"lr", "eta"}},
      {{"wd", "weight-decay"}, {"weight-decay"}},
      {{"warmup", "warmup-steps", "lr-warmup-steps"}, {"warm-up"}},
      {{"ema-decay", "ema-rate"}, {"ema"}},
      {{"grad-clip", "clip-grad", "max-grad-norm", "gradient-clipping"}, {"clip"}},
      {{"momentum"}, {"mu"}},
      {{"tol", "tolerance", "eps"}, {"threshold", "rtol"}},
      {{"sampler", "method", "solver", "sampling-method", "optimizer", "ode-solver"}, {"rule"}},
      {{"scheduler", "lr-schedule"}, {"schedule", "rule"}},
      {{"checkpoint", "ckpt", "ckpt-path", "model-path", "weights", "pretrained", "m", "load"},
       {"model", "from"}},
      {{"arch", "architecture", "preset", "backbone", "network"}, {"model"}},
      {{"resume-from", "init-from", "finetune"}, {"init"}},
      {{"loss", "prediction", "target"}, {"objective"}},
      {{"dataset", "data-path", "data-dir", "datadir", "train-dir", "input", "images", "i", "d"},
       {"data", "pictures", "from"}},
      {{"real", "ref", "ref-batch", "real-images"}, {"reference"}},
      {{"class", "classes", "class-labels", "label", "labels", "c", "y"}, {"labels", "label"}},
      {{"image-size", "img-size", "resolution", "res"}, {"size"}},
      {{"horizontal-flip", "hflip", "mirror"}, {"flip"}},
      {{"workers", "num-workers"}, {"loader-threads", "threads"}},
      {{"jobs", "j", "num-threads", "cpus"}, {"threads"}},
      {{"gpu", "gpus", "cuda", "cpu"}, {"device"}},
      {{"dtype", "fp16", "bf16", "half", "amp", "mixed-precision"}, {"precision", "stored"}},
      {{"random-seed", "rng-seed", "manual-seed", "global-seed", "s"}, {"seed"}},
      {{"noise", "noise-level", "sigma", "strength", "t"}, {"gamma"}},
      {{"log-interval"}, {"log-every"}},
      {{"save-every", "ckpt-every", "save-interval"}, {"checkpoint-every"}},
      {{"eval-every", "eval-interval"}, {"evaluate-every"}},
  };
  return table;
}

// "cfg" of "--cfg", "n" of "-n" and "-n8".
std::string_view bare(std::string_view word) {
  if (word.starts_with("--")) return word.substr(2);
  word.remove_prefix(word.starts_with("-") ? 1 : 0);
  const size_t digits = word.find_first_of("0123456789");
  return digits == 1 ? word.substr(0, 1) : word;
}

}  // namespace

const Option* option_meant_by(std::string_view word, const OptionSet& options) {
  std::string guess(bare(word));
  for (char& letter : guess) {
    if (letter == '_') letter = '-';  // as Python's argparse is often given
  }
  if (const Option* same = options.find(guess)) return same;
  for (const Alias& alias : aliases()) {
    bool known = false;
    for (const std::string_view name : alias.guesses) known = known || name == guess;
    if (!known) continue;
    for (const std::string_view name : alias.options) {
      if (const Option* option = options.find(name)) return option;
    }
  }
  return nullptr;
}

}  // namespace eqm
