// eqm sample: draws samples from a model.
#include "eqm/app/sample.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

// One line per status with its count, then the means of samples that are done.
std::string summary_of(const SampleTally& tally) {
  std::string text;
  for (const auto& [status, count] : tally.statuses) {
    text += fmt::format("{:<18} {} sample{}\n", name_of(status), count, count == 1 ? "" : "s");
  }
  const auto finished = static_cast<double>(tally.finished);
  if (tally.finished > 0) {
    text += fmt::format("{:<18} {:.1f}\n", "mean steps", tally.steps / finished);
    text += fmt::format("{:<18} {:.1f}\n", "mean evaluations", tally.evaluations / finished);
  }
  if (tally.with_norm > 0) {
    text += fmt::format("{:<18} {:.3g}\n", "mean last norm",
                        tally.norms / static_cast<double>(tally.with_norm));
  }
  return text;
}

class Sample final : public Verb {
 public:
  std::string name() const override { return "sample"; }
  std::string summary() const override { return "Draws samples from a trained model"; }
  std::string advice() const override {
    return R"(Sample i of a seed starts from the same noise whatever else is drawn, and its neighbours do not change it. Samples
take the labels in turn; the grid shows a row for each.
--rule auto is land, which takes 14 evaluations of the model; --rule nesterov is the paper's: 250 steps of 0.003, or
--limit steps of a size that follows by itself. --eta, --mu and the stops (--threshold, --fraction, --plateau), which
let each sample stop on its own, mean nesterov, too. --guidance above 1 makes samples more typical of their class;
--mix descends a weighted sum of classes. Ctrl-C keeps what is done, and shows what is under way.

Examples:
  eqm sample --model models/fashion-xs4.safetensors --out out/fashion
  eqm sample --model runs/fashion --labels "coat,bag" --per-class 8 --guidance 1.5
  eqm sample --model runs/fashion --count 50000 --no-pictures --npz samples.npz
  eqm sample --model runs/fashion --count 1000 --class-folders --out out/fashion
  eqm sample --model runs/fashion --mix "coat:1,bag:1,null:-1" --per-class 16 --trace --histogram)";
  }
  std::string positional() const override { return "model"; }
  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const SampleResult result = app::run(options_, host);
    if (!result.kept_earlier) std::cout << summary_of(result.tally);
    require_some_sound(result);
    return result.stopped ? exit_code_of(interrupt_requested()) : 0;
  }

 private:
  SampleOptions options_;
};

}  // namespace

std::unique_ptr<Verb> sample_verb() {
  return std::make_unique<Sample>();
}

}  // namespace eqm::cli
