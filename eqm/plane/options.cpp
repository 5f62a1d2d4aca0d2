#include "eqm/plane/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/plane/sets.h"

namespace eqm {
namespace {

constexpr double kWay = 4;  // η·λ·steps: all samples have landed, and none has drifted far

}  // namespace

void PlaneOptions::declare(OptionSet& options) {
  options.section("data");
  options.text("data", data,
               fmt::format("{}, or a CSV file with two columns (of 100 points or more, a fifth, "
                           "chosen at random, is held out)",
                           fmt::join(all_names(plane_set_names()), ", ")));
  options.count("points", points, Range::between(2, 10'000'000), "size of the training set");
  options.number("spread", spread, {.least = 0.01, .most = 1000},
                 "standard deviation that the data are scaled to (the noise has 1)");
  options.number("focus", focus, Range::between(0, 8),
                 "draws γ near the data: density (1-γ)^-focus; 0 is the paper's uniform γ");
  options.section("landscape");
  Names<ObjectiveKind> offered;
  for (const auto& entry : field_objective_names()) {
    // The ablation with γ shown is no landscape: it changes as one descends.
    if (entry.second != ObjectiveKind::eqm_noise_condition) offered.push_back(entry);
  }
  options.choice("objective", objective, offered, "what is learned");
  magnitude.declare(options);
  options.flag("flow", flow_beside, "also learns Flow Matching, and draws it beside");
  options.section("training");
  options.count("steps", steps, Range::between(1, 10'000'000), "optimiser steps");
  options.count("batch", batch, Range::between(1, 1'000'000), "points per step");
  options.number("lr", lr, {.least = 0, .most = 1, .above = true}, "initial learning rate");
  options.count("width", width, Range::between(1, 4096), "neurons per hidden layer");
  options.count("depth", depth, Range::between(1, 64), "hidden layers");
  options.count("fourier", fourier, Range::between(0, 4096), "random Fourier features per point");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.count("samples", samples, Range::between(1, 1'000'000), "samples to draw and measure");
  options.count("paths", paths, Range::between(0, 10'000), "particles whose paths are drawn");
  options.count("seed", seed, Range::between(0, 9e15), "seed of everything random");
}

DescentOptions PlaneOptions::descent_for(ObjectiveKind kind) const {
  const bool flow = is_flow(kind);
  DescentOptions chosen = descent;
  if (chosen.rule == RuleKind::automatic) {
    chosen.rule = flow ? RuleKind::euler : RuleKind::gradient_descent;
  }
  const bool lands = chosen.rule == RuleKind::walk_and_land,
             integrates = is_integrator(chosen.rule);
  if (integrates && chosen.threshold == kPlaneThreshold) chosen.threshold = 0;  // rests nowhere
  if (chosen.limit == 0) {
    chosen.limit = lands ? DescentOptions().limit : integrates ? kFlowSteps : kLandscapeSteps;
  }
  const bool plain = chosen.rule == RuleKind::gradient_descent ||
                     chosen.rule == RuleKind::nesterov || chosen.rule == RuleKind::langevin;
  const bool sinks = magnitude.kind != MagnitudeKind::constant;
  if (plain && sinks && chosen.eta == 0) {
    chosen.eta = kWay / (magnitude.lambda * static_cast<double>(chosen.whole_way()));
  }
  return chosen;
}

void PlaneOptions::validate() const {
  magnitude.validate();
  descent_for(objective).validate({.kind = objective, .magnitude = magnitude});
}

}  // namespace eqm
