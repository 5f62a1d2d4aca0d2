// eqm sweep: the quality of a model's samples over a grid of sampler settings.
#include "eqm/app/sweep.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Sweep final : public Verb {
 public:
  std::string name() const override { return "sweep"; }
  std::string summary() const override {
    return "Measures the quality of samples over a grid of sampler settings";
  }
  std::string advice() const override {
    return R"(Quality is the Fréchet distance between samples and a reference in the features of a network (--features: a
classifier of the same data, or Inception's weights), lower is better; `right` is the share of samples that the
classifier takes for the class they were asked for. `eqm evaluate --help` tells more of both. The grid names
options of the descent (see `eqm sample --help`) and guidance; options given as flags hold for all its points. An
interrupted sweep goes on where it was when the same command is given again.

Examples:
  eqm sweep --grid "rule=nesterov,gd limit=60,120,250" --out out/steps
  eqm sweep --limit 100 --grid "eta=0.003,0.006,0.012" --out out/step-sizes
  eqm sweep --grid "walk=5,10 land=2,4" --samples 2000 --out out/land)";
  }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const SweepResult result =
        app::run(options_, host, {.begun = print_head, .measured = print_point});
    return result.stopped ? exit_code_of(interrupt_requested()) : 0;
  }

 private:
  static void print_head(std::optional<double> floor) {
    if (floor) std::cout << fmt::format("real data {:.3f}\n", *floor);
    std::cout << fmt::format("{:>9} {:>7} {:>9}\n", "distance", "right", "evals");
  }

  static void print_point(const std::string& setting, const Quality& quality) {
    std::cout << fmt::format("{:>9.3f} {:>7} {:>9.1f}  {}\n", quality.distance,
                             percent_text(quality.accuracy), quality.evaluations, setting)
              << std::flush;
  }

  SweepOptions options_;
};

}  // namespace

std::unique_ptr<Verb> sweep_verb() {
  return std::make_unique<Sweep>();
}

}  // namespace eqm::cli
