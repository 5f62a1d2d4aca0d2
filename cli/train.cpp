// eqm train: trains a model and never loses work.
#include "eqm/app/train.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/shell_word.h"
#include "cli/verb.h"
#include "eqm/app/shipped.h"
#include "eqm/base/error.h"

namespace eqm::cli {
namespace {

void print_result(const TrainingResult& result, const TrainingOptions& options) {
  const RunSummary& summary = result.summary;
  const std::string& out = options.out;
  std::cout << fmt::format("{:<16} {} of {} ({:.2f} epochs)\n", "steps", summary.steps,
                           summary.planned, summary.epochs);
  if (summary.loss.steps > 0) {
    std::cout << fmt::format("{:<16} {}\n", "loss", summary.loss.text());
  }
  if (summary.held_out_loss) {
    std::cout << fmt::format("{:<16} {:.4g}  (averaged weights)\n", "held-out loss",
                             *summary.held_out_loss);
  }
  if (summary.held_out_accuracy) {
    std::cout << fmt::format("{:<16} {:.2f} %\n", "accuracy", 100 * *summary.held_out_accuracy);
  }
  std::cout << fmt::format("{:<16} {}, {:.1f} images/s, {:.1f} % of it waiting for data\n", "time",
                           duration_text(summary.seconds), summary.images_per_second,
                           100 * summary.data_share);
  if (summary.skipped > 0) {
    std::cout << fmt::format("{:<16} {} damaged examples\n", "skipped", summary.skipped);
  }
  std::cout << fmt::format("{:<16} {}\n", "model", result.model);
  if (summary.finished && is_classifier(options.training.objective.kind)) {
    std::cout << fmt::format("next: eqm evaluate --features {} --pictures PATH\n", shell_word(out));
  } else if (summary.finished) {
    const std::string& vae = options.training.codec.vae;
    std::cout << fmt::format("next: eqm sample --model {}{} --out {}\n", shell_word(out),
                             vae.empty() ? "" : " --vae " + shell_word(vae),
                             shell_word(out + "/drawn"));
  } else {
    std::cout << fmt::format("stopped; go on with: eqm train --resume --out {}\n", shell_word(out));
  }
}

class Train final : public Verb {
 public:
  std::string name() const override { return "train"; }
  std::string summary() const override {
    return "Trains a model on images or vectors; can be stopped at any time and resumed";
  }
  std::string advice() const override {
    return R"(A recipe is a TOML file of these options; flags win over it. `base = "other.toml"` in its first line takes
everything else from another recipe, and so does the name of a shipped one: `base = "fashion-xs4"`.
Ctrl-C finishes the step, writes a checkpoint and says how to go on; a second one leaves at once. A run that was
killed goes on from its last checkpoint to the same weights, bit for bit, on the same number of threads.
--quality-every measures samples as `eqm sweep` does, into metrics.jsonl and TensorBoard (samples_distance,
samples_right): by --features, against --reference, which is the data trained on when it is empty.

Examples:
  eqm train --recipe fashion-xs4 --out runs/fashion
  eqm train --resume --out runs/fashion
  eqm train --data my-images/ --size 32 --model XS/4 --flip --steps 6000 --ema-warm-up --out runs/mine)";
  }
  std::string config_flag() const override { return "recipe"; }
  std::string config_file(const std::string& given) const override {
    return find_shipped(ShippedKind::recipe, given).string();
  }
  std::string saved_config(const std::map<std::string, std::string>& given) const override {
    const auto resume = given.find("resume");
    if (resume == given.end()) return "";
    for (const char* no : {"false", "no", "0", "off"}) {
      if (resume->second == no) return "";
    }
    const auto out = given.find("out");
    return RunPaths{.folder = out == given.end() ? options_.out : out->second}.config();
  }

  void declare(OptionSet& options) override { options_.declare(options); }

  // Steps and epochs say the same thing: a flag wins over a file, and two at once are a mistake.
  void before_flags(const std::map<std::string, std::string>& given) override {
    TrainOptions& training = options_.training;
    const bool steps = given.contains("steps"), epochs = given.contains("epochs");
    const bool both_in_file =
        training.epochs > 0 && training.steps != 0 && training.steps != TrainOptions().steps;
    if ((steps && epochs) || (!steps && !epochs && both_in_file)) {
      throw Error(ErrorKind::usage, "steps and epochs were both given",
                  steps ? "give --steps or --epochs, and not both"
                        : "omit one of them; a recipe with epochs that builds on one with "
                          "steps also says steps = 0");
    }
    if (steps) training.epochs = 0;
  }

  int run(const OptionSet&, Host& host) override {
    const TrainingResult result = app::run(options_, host);
    print_result(result, options_);
    return result.stopped ? exit_code_of(interrupt_requested()) : 0;
  }

 private:
  TrainingOptions options_;
};

}  // namespace

std::unique_ptr<Verb> train_verb() {
  return std::make_unique<Train>();
}

}  // namespace eqm::cli
