// eqm sweep: the quality of a model's samples over a grid of sampler settings.
#include "eqm/app/sweep.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"

namespace eqm::cli {
namespace {

void print_head(std::optional<double> floor) {
  if (floor) std::cout << fmt::format("real data {:.3f}\n", *floor);
  std::cout << fmt::format("{:>9} {:>7} {:>9}\n", "distance", "right", "evals");
}

void print_point(const std::string& setting, const Quality& quality) {
  std::cout << fmt::format("{:>9.3f} {:>7} {:>9.1f}  {}\n", quality.distance,
                           percent_text(quality.accuracy), quality.evaluations, setting)
            << std::flush;
}

}  // namespace

std::unique_ptr<Verb> sweep_verb() {
  return verb_of<SweepOptions>(use_named("sweep"), [](const SweepOptions& options, Host& host) {
    return app::run(options, host, {.begun = print_head, .measured = print_point}).stopped;
  });
}

}  // namespace eqm::cli
