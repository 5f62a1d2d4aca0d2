// Parity of magnitudes, energies, guidance and training gradients with the reference.
#include <cmath>
#include <regex>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "eqm/backbone/weights.h"
#include "eqm/landscape/corruption.h"
#include "eqm/landscape/objective.h"
#include "eqm/landscape/terms.h"
#include "eqm/train/adamw.h"
#include "eqm/train/ema.h"
#include "tests/support/golden.h"
#include "tests/support/weighted_gradient.h"

namespace eqm::test {
namespace {

constexpr double kEnergyTolerance = 1e-5;  // CFG, energy fields and energies
constexpr double kLossTolerance = 1e-5;
constexpr double kGradientTolerance = 2e-5;
constexpr double kSecondOrderTolerance = 1e-4;

Magnitude magnitude_from(const nlohmann::json& entry) {
  Magnitude magnitude;
  const std::string kind = entry.at("kind");
  for (const auto& [name, item] : magnitude_names()) {
    if (name == kind) magnitude.kind = item;
  }
  if (!entry.at("a").is_null()) magnitude.a = entry.at("a");
  if (!entry.at("b").is_null()) magnitude.b = entry.at("b");
  magnitude.lambda = entry.at("lam");
  return magnitude;
}

TEST(GoldenSchedules, every_magnitude_matches_the_paper) {
  for (const GoldenCase& golden : golden_cases("schedules")) {
    const Tensor gamma = golden.input("gamma", torch::kFloat64);
    const nlohmann::json index = golden.meta_json("index");
    for (const auto& [name, entry] : index.items()) {
      const Magnitude magnitude = magnitude_from(entry);
      EXPECT_TRUE(close_absolute(magnitude(gamma), golden.expected(name), 1e-12)) << name;
      for (int64_t i = 0; i < gamma.size(0); ++i) {
        EXPECT_NEAR(magnitude(gamma[i].item<double>()), golden.expected(name)[i].item<double>(),
                    1e-12);
      }
    }
    const Tensor official = Magnitude{}(golden.input("gamma_f32", torch::kFloat32));
    EXPECT_TRUE(close(official, golden.expected("official_get_ct"), 1e-6));
  }
}

TEST(GoldenEnergy, fields_and_energies_match_the_reference) {
  const std::vector<std::pair<std::string, ObjectiveKind>> kinds = {
      {"dot", ObjectiveKind::eqm_dot},
      {"mean", ObjectiveKind::eqm_dot},
      {"l2", ObjectiveKind::eqm_l2}};
  for (const GoldenCase& golden : golden_cases("energy")) {
    for (const torch::ScalarType type : kPrecisions) {
      const Tensor x = golden.input("x", type);
      const Condition condition = {.labels = golden.integers("y"), .time = golden.input("t", type)};
      const double limit = tolerance(type, kEnergyTolerance);
      const LearnedField raw(golden.model(ObjectiveKind::eqm, type));
      EXPECT_TRUE(close(-raw.gradient(x, condition), golden.expected("raw"), limit));
      for (const auto& [name, kind] : kinds) {
        SCOPED_TRACE(golden.name() + " " + name + " " + torch::toString(type));
        const GradientAndEnergy value =
            LearnedField(golden.model(kind, type)).gradient_and_energy(x, condition);
        EXPECT_TRUE(close(-value.gradient, golden.expected(name + ".field"), limit));
        EXPECT_TRUE(close(value.energy, golden.expected(name + ".energy"), limit));
      }
      // With the time shown, as the reference's noise-conditional energy.
      const Model model = golden.model(ObjectiveKind::eqm_dot, type);
      const FieldValue shown =
          evaluate_field(*model.backbone, ObjectiveKind::eqm_dot, model.output_sign, x,
                         model.backbone->conditioning(condition, x.size(0)), Graph::discard);
      EXPECT_TRUE(close(-shown.gradient, golden.expected("dot_cond.field"), limit));
      EXPECT_TRUE(close(shown.energy, golden.expected("dot_cond.energy"), limit));
    }
  }
}

// The rows of a doubled batch [labels, null] under reference guidance: each keeps its own branch
// beyond the guided channels.
Tensor doubled_first_three(const Field& field, const Tensor& x, const Tensor& labels, double scale,
                           const Tensor& time) {
  std::vector<Terms> terms = terms_for(
      labels, [&](int64_t label) { return guidance(label, scale, GuidedChannels::first_three); });
  const Tensor labelled = weighted_gradient(field, x, terms, time);
  for (Terms& row : terms) {
    for (Term& term : row.list) term.rest_weight = 1 - term.rest_weight;
  }
  return torch::cat({labelled, weighted_gradient(field, x, terms, time)});
}

TEST(GoldenGuidance, matches_the_reference_on_first_and_on_all_channels) {
  for (const GoldenCase& golden : golden_cases("cfg")) {
    const auto scales = golden.meta_json("cfg_scales").get<std::vector<double>>();
    for (const torch::ScalarType type : kPrecisions) {
      const double limit = tolerance(type, kEnergyTolerance);
      const int64_t n = golden.integers("y").size(0) / 2;
      const Tensor x = golden.input("x", type).narrow(0, 0, n);
      const Tensor labels = golden.integers("y").narrow(0, 0, n);
      const Tensor time = golden.input("t", type).narrow(0, 0, n);
      const std::vector<std::pair<std::string, ObjectiveKind>> modes = {
          {"uncond", ObjectiveKind::eqm},
          {"cond", ObjectiveKind::eqm_noise_condition},
          {"dot", ObjectiveKind::eqm_dot}};
      for (const auto& [mode, kind] : modes) {
        const LearnedField field(golden.model(kind, type));
        for (const double scale : scales) {
          SCOPED_TRACE(
              fmt::format("{} {} s={} {}", golden.name(), mode, scale, torch::toString(type)));
          const std::string first3 = fmt::format("{}.first3_s{:.1f}", mode, scale);
          if (golden.has(first3)) {
            EXPECT_TRUE(close(-doubled_first_three(field, x, labels, scale, time),
                              golden.expected(first3), limit));
          }
          const std::string all = fmt::format("{}.allch_s{:.1f}", mode, scale);
          if (golden.has(all)) {
            const auto terms =
                terms_for(labels, [&](int64_t label) { return guidance(label, scale); });
            EXPECT_TRUE(
                close(-weighted_gradient(field, x, terms, time), golden.expected(all), limit));
          }
          const std::string energy = fmt::format("{}.energy_s{:.1f}", mode, scale);
          if (golden.has(energy)) {
            const Condition doubled = {.labels = golden.integers("y"), .time = {}};
            EXPECT_TRUE(close(field.gradient_and_energy(torch::cat({x, x}), doubled).energy,
                              golden.expected(energy), limit));
          }
        }
        if (golden.has(mode + ".branch_label")) {
          const Condition condition = {.labels = labels, .time = time};
          EXPECT_TRUE(
              close(-field.gradient(x, condition), golden.expected(mode + ".branch_label"), limit));
          const Condition none = {.labels = torch::full_like(labels, field.null_label()),
                                  .time = time};
          EXPECT_TRUE(
              close(-field.gradient(x, none), golden.expected(mode + ".branch_null"), limit));
        }
      }
    }
  }
}

ObjectiveKind objective_of(const GoldenCase& golden) {
  const std::string energy = golden.meta("ebm");
  if (energy == "dot" || energy == "mean") return ObjectiveKind::eqm_dot;
  if (energy == "l2") return ObjectiveKind::eqm_l2;
  if (golden.meta("uncond") == "true") return ObjectiveKind::eqm;
  return golden.meta("target").starts_with("constant") ? ObjectiveKind::fm
                                                       : ObjectiveKind::eqm_noise_condition;
}

// "truncated a=0.8, lambda=4" or "constant c=1"
Magnitude magnitude_of(const GoldenCase& golden) {
  const std::string target = golden.meta("target");
  Magnitude magnitude;
  std::smatch match;
  if (target.starts_with("constant")) magnitude.kind = MagnitudeKind::constant;
  if (std::regex_search(target, match, std::regex("a=([0-9.]+)")))
    magnitude.a = std::stod(match[1]);
  if (std::regex_search(target, match, std::regex("lambda=([0-9.]+)"))) {
    magnitude.lambda = std::stod(match[1]);
  }
  if (magnitude.kind == MagnitudeKind::constant) magnitude.lambda = 1;
  return magnitude;
}

struct TrainingRun {
  Model model;
  TrainingBatch batch_at(const GoldenCase& golden, int64_t step, torch::ScalarType type) const {
    TrainingBatch batch = {.x = golden.input("x1", type)[step],
                           .noise = golden.input("x0", type)[step],
                           .gamma = golden.input("t", type)[step],
                           .labels = golden.integers("y")[step]};
    if (golden.has("drop_u")) {
      const auto& sit = static_cast<const Sit&>(*model.backbone);
      batch.labels = drop_labels(batch.labels, golden.input("drop_u", torch::kFloat32),
                                 sit.config().class_dropout_prob, sit.null_label());
    }
    return batch;
  }
};

TrainingRun training_run(const GoldenCase& golden, torch::ScalarType type) {
  TrainingRun run = {golden.model(objective_of(golden), type)};
  run.model.objective.magnitude = magnitude_of(golden);
  if (golden.meta("dispersive") == "true") run.model.objective.dispersive_weight = 0.5;
  return run;
}

TEST(GoldenTraining, losses_and_all_gradients_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("train")) {
    for (const torch::ScalarType type : kPrecisions) {
      SCOPED_TRACE(golden.name() + " " + torch::toString(type));
      const TrainingRun run = training_run(golden, type);
      const TrainingBatch batch = run.batch_at(golden, 0, type);
      if (golden.has("y_effective")) {
        EXPECT_TRUE(torch::equal(batch.labels, golden.integers("y_effective")));
      }
      EXPECT_TRUE(close(corrupt(batch.x, batch.noise, batch.gamma), golden.expected("xt"), 1e-6));
      EXPECT_TRUE(close(run.model.objective.effective_magnitude()(batch.gamma),
                        golden.expected("ct"), 1e-6));
      const Loss result =
          loss(*run.model.backbone, run.model.objective, run.model.output_sign, batch);
      EXPECT_TRUE(
          close(-result.prediction, golden.expected("pred"), tolerance(type, kEnergyTolerance)));
      EXPECT_TRUE(
          close(result.per_sample, golden.expected("loss")[0], tolerance(type, kLossTolerance)));
      if (golden.has("disp_loss")) {
        EXPECT_TRUE(close(result.dispersive, golden.expected("disp_loss")[0],
                          tolerance(type, kLossTolerance)));
      }
      result.per_sample.mean().backward();
      const bool second_order = has_energy(run.model.objective.kind);
      const double limit =
          tolerance(type, second_order ? kSecondOrderTolerance : kGradientTolerance);
      int compared = 0;
      for (const auto& parameter : run.model.backbone->named_parameters()) {
        if (!parameter.value().requires_grad()) continue;
        const Tensor expected = golden.expected("grad." + parameter.key());
        ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
        EXPECT_TRUE(close(parameter.value().grad(), expected, limit)) << parameter.key();
        ++compared;
      }
      EXPECT_GT(compared, 10);
    }
  }
}

TEST(GoldenTraining, gradients_that_must_vanish_are_exactly_zero) {
  for (const GoldenCase& golden : golden_cases("train")) {
    const TrainingRun run = training_run(golden, torch::kFloat32);
    const TrainingBatch batch = run.batch_at(golden, 0, torch::kFloat32);
    loss(*run.model.backbone, run.model.objective, run.model.output_sign, batch)
        .per_sample.mean()
        .backward();
    const auto parameters = run.model.backbone->named_parameters();
    const Tensor table = parameters["y_embedder.embedding_table.weight"].grad();
    for (int64_t row = 0; row < table.size(0); ++row) {
      if ((batch.labels == row).any().item<bool>()) continue;
      EXPECT_EQ(table[row].abs().max().item<float>(), 0) << golden.name() << " label " << row;
    }
    if (!sees_time(run.model.objective.kind)) {
      const Tensor time_in = parameters["t_embedder.mlp.0.weight"].grad();
      EXPECT_EQ(time_in.narrow(1, 128, 128).abs().max().item<float>(), 0) << golden.name();
    }
    const auto& sit = static_cast<const Sit&>(*run.model.backbone);
    if (sit.config().learn_sigma) {
      const Tensor last = parameters["final_layer.linear.weight"].grad();  // [p*p*2C, D]
      const Tensor by_channel = last.reshape({-1, 2 * sit.config().in_channels, last.size(1)});
      EXPECT_EQ(by_channel.narrow(1, sit.config().in_channels, sit.config().in_channels)
                    .abs()
                    .max()
                    .item<float>(),
                0)
          << golden.name();
    }
  }
}

TEST(GoldenTraining, adamw_steps_and_the_average_match_the_reference) {
  for (const GoldenCase& golden : golden_cases("train")) {
    const auto settings = golden.meta_json("optimizer");
    const int64_t steps = golden.meta_json("steps");
    for (const torch::ScalarType type : kPrecisions) {
      SCOPED_TRACE(golden.name() + " " + torch::toString(type));
      const TrainingRun run = training_run(golden, type);
      AdamW optimiser(trainable_weights_of(*run.model.backbone),
                      {.beta1 = settings.at("betas")[0].get<double>(),
                       .beta2 = settings.at("betas")[1].get<double>(),
                       .epsilon = settings.at("eps").get<double>(),
                       .weight_decay = settings.at("weight_decay").get<double>()});
      Ema ema(*run.model.backbone);
      const bool wide = type == torch::kFloat64;
      const auto compare = [&](const std::string& prefix, const std::string& name,
                               const Tensor& actual, double float32_limit) {
        const std::string key = prefix + "." + name;
        if (!golden.has(key + ".f64") && !golden.has(key)) return 0;
        Tensor ours = actual, theirs = golden.expected(key);
        // Key biases have a vanishing gradient, whose rounding noise Adam turns into steps: leave
        // them out.
        if (name.ends_with("attn.qkv.bias")) {
          const int64_t third = ours.size(0) / 3;
          const Tensor rest =
              torch::cat({torch::arange(third), torch::arange(2 * third, 3 * third)});
          ours = ours.index_select(0, rest);
          theirs = theirs.index_select(0, rest);
        }
        const double limit = wide && golden.has(key + ".f64") ? 1e-9 : float32_limit;
        EXPECT_TRUE(close_absolute(ours, theirs, limit)) << key;
        return 1;
      };
      int compared = 0;
      for (int64_t step = 0; step < steps; ++step) {
        const Tensor mean = loss(*run.model.backbone, run.model.objective, run.model.output_sign,
                                 run.batch_at(golden, step, type))
                                .per_sample.mean();
        EXPECT_TRUE(
            close(mean, golden.expected("loss_mean")[step], tolerance(type, 10 * kLossTolerance)));
        optimiser.zero_gradients();
        mean.backward();
        optimiser.step(settings.at("lr").get<double>(), ema.pairs_with(*run.model.backbone),
                       golden.meta_json("ema_decay"));
        const std::string suffix = std::to_string(step + 1);
        const auto averages = ema.backbone()->named_parameters();
        for (const auto& parameter : run.model.backbone->named_parameters()) {
          compared += compare("p" + suffix, parameter.key(), parameter.value().detach(), 2e-6);
          compared += compare("ema" + suffix, parameter.key(), averages[parameter.key()], 1e-6);
        }
      }
      if (golden.has("p1.x_embedder.proj.bias")) {
        EXPECT_GT(compared, 10);
      }
    }
  }
}

}  // namespace
}  // namespace eqm::test
