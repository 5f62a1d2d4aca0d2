// eqm landscape: learns a landscape over the plane, descends it and draws it.
#include "eqm/app/landscape.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

// "converged 1960, limit 40 · mean steps 118"
std::string outcome(const LandscapeDescent& descent) {
  std::string text;
  for (const auto& [status, count] : descent.outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", status, count);
  }
  return fmt::format("{} · mean steps {:.0f}", text, descent.mean_steps);
}

void print_row(const std::string& name, double distance, const std::string& note) {
  std::cout << fmt::format("{:<24} {:>8.4f}  {}\n", name, distance, note);
}

class Landscape final : public Verb {
 public:
  std::string name() const override { return "landscape"; }
  std::string summary() const override {
    return "Learns a two-dimensional landscape, descends it and draws it beside Flow Matching";
  }
  std::string advice() const override {
    return R"(What matters in the plane:
  In high dimension a state shows how noisy it is, and data come to rest by themselves. In the plane it does
  not: with the paper's uniform γ and truncated c(γ), moons fill up and a checkerboard blurs. The defaults
  therefore draw γ near the data (--focus 2) and let the gradient fade linearly (--c linear).
  --spread is the width of the data beside the noise. At 1 the pulls towards the centre and away from it
  balance; much smaller, and samples gather on the outer rim; much larger, and they overshoot.
  η·λ·limit is how long samples descend. About 4 lands them all, which is what --eta 0 takes; a slow current
  along the data remains, so that far longer descents gather in a few places. Try --eta 0.1 --limit 400 and see.
  --limit 0 is 40 steps of a descent, 100 of an integrator. --rule auto is gd here, euler for flows: what makes
  land good for images, that a state shows how noisy it is, does not hold in the plane.
  --objective eqm-dot and eqm-l2 learn an energy; the picture shows its height.
  To see the paper's landscape: --c truncated --a 0.8 --focus 0 --spread 2.5 --eta 0.01 --limit 125.

Examples:
  eqm landscape --data spirals --out out/spirals
  eqm landscape --data points.csv --objective eqm-dot --rule nesterov --mu 0.35)";
  }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const LandscapeResult result = app::run(options_, host);
    if (result.stopped) return exit_code_of(interrupt_requested());
    print(result);
    return 0;
  }

 private:
  void print(const LandscapeResult& result) const {
    std::cout << (result.compared < options_.plane.samples
                      ? fmt::format(
                            "sliced Wasserstein distance to the data, {} points at a time\n",
                            result.compared)
                      : "sliced Wasserstein distance to the data\n");
    for (const LandscapeDescent& descent : result.descents) {
      print_row(descent.objective, descent.distance, outcome(descent));
    }
    if (result.fresh_distance) {
      print_row("fresh data", *result.fresh_distance,
                "other points of the data: the noise of this number");
    }
    print_row("noise", result.noise_distance, "where descent starts");
  }

  LandscapeOptions options_;
};

}  // namespace

std::unique_ptr<Verb> landscape_verb() {
  return std::make_unique<Landscape>();
}

}  // namespace eqm::cli
