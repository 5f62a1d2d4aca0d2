#include "eqm/app/likelihood.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/averages.h"
#include "eqm/app/figure_file.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/score_sets.h"
#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostExact = 64;       // numbers of a state, without being asked for more
constexpr double kNormal90 = 1.6448536;  // the normal distribution's 95th percentile
constexpr int kLikelihoodBins = 40;

const Names<DivergenceBy>& divergence_names() {
  static const Names<DivergenceBy> names = {{"auto", DivergenceBy::automatic},
                                            {"exact", DivergenceBy::exact},
                                            {"signs", DivergenceBy::signs}};
  return names;
}

struct MeasuredStates {
  Tensor x;                      // [n, ...]
  Tensor labels;                 // [n] or undefined
  std::vector<int64_t> indices;  // in their set
  bool pixels = false;           // whole numbers that were spread over their cells, or could be
};

// Each byte stands for a cell of width 1 around it: a density over values, not bytes, is compared
// with the chance of bytes.
Tensor dequantised(const Tensor& x, const Model& model, uint64_t seed) {
  Tensor spread = torch::empty(x.sizes(), torch::kFloat64);
  const int64_t size = x.numel() / x.size(0);
  auto* values = spread.data_ptr<double>();
  for (int64_t i = 0; i < x.size(0); ++i) {
    fill_uniform({.seed = seed, .sample = static_cast<uint64_t>(i), .draw = draw_dequantise},
                 std::span<double>(values + i * size, static_cast<size_t>(size)));
  }
  return x + ((spread - 0.5) / model.scaling.unit).to(x.options());
}

Tensor labels_for(const Source& source, const Batch& batch, const Model& model,
                  const LikelihoodUseOptions& options, Logger& log) {
  const auto count = static_cast<int64_t>(batch.labels.size());
  if (options.label != "own") {
    const int64_t label = label_of(model, options.label);
    return label == kNullClass ? Tensor() : torch::full({count}, label, torch::kInt64);
  }
  if (model.backbone->num_classes() == 0) return {};
  if (source.class_names() != model.class_names) {
    log.warn("the classes of {} are not the model's: continuing without labels", options.data);
    return {};
  }
  Tensor labels = torch::tensor(batch.labels, torch::kInt64);
  const int64_t null = model.backbone->null_label();
  if (null >= 0) labels = labels.where(labels >= 0, torch::full_like(labels, null));
  return labels;
}

MeasuredStates read_measured(const LikelihoodUseOptions& options, const Model& model,
                             const Codec& codec, const torch::TensorOptions& type, Host& host) {
  const ScoreSet set =
      open_score_set(options.data, model, codec,
                     {.split = options.part, .count = options.count, .log = host.log()});
  const int64_t size = set.source->size();
  const auto elements = static_cast<double>(c10::multiply_integers(model.backbone->state_shape()));
  require_memory(static_cast<double>(size) * elements * 4 * sizeof(double), "lower {count}");
  const Batch batch = read_batch(*set.source, 0, size);
  MeasuredStates states = {.x = states_of(batch, codec, type),
                           .labels = labels_for(*set.source, batch, model, options, *host.log()),
                           .indices = set.indices,
                           .pixels = batch.dtype == Dtype::u8 && !codec.has_autoencoder()};
  if (states.pixels && options.dequantise) {
    states.x = dequantised(states.x, model, static_cast<uint64_t>(options.seed));
  }
  return states;
}

// -log₂ of the density of values (pixels, or what the scaling is of), per dimension.
double bits_of(const Likelihood& one, const Model& model, double dimensions) {
  return (std::log(model.scaling.unit) - one.log_density / dimensions) / std::numbers::ln2;
}

void add_interval(const std::vector<double>& bits, LikelihoodResult& result) {
  result.bits = mean(bits);
  double square = 0;
  for (const double value : bits) square += (value - result.bits) * (value - result.bits);
  const auto count = static_cast<double>(bits.size());
  const double error = count > 1 ? std::sqrt(square / (count - 1) / count) : 0;
  result.low = result.bits - kNormal90 * error;
  result.high = result.bits + kNormal90 * error;
}

void write_likelihoods(const std::filesystem::path& file, const MeasuredStates& states,
                       const std::vector<Likelihood>& all, const std::vector<double>& bits) {
  std::vector<CsvRecord> rows;
  for (size_t i = 0; i < all.size(); ++i) {
    rows.push_back({std::to_string(states.indices[i]), fmt::format("{}", bits[i]),
                    fmt::format("{}", all[i].log_density), fmt::format("{}", all[i].log_noise),
                    fmt::format("{}", all[i].volume), std::to_string(all[i].evaluations)});
  }
  write_csv_records(
      file, {"index", "bits_per_dimension", "log_density", "log_noise", "volume", "evaluations"},
      rows);
}

draw::Canvas bits_figure(const std::vector<double>& bits, const std::string& data) {
  const std::vector<draw::Sample> samples = {{.name = data, .values = bits}};
  draw::Canvas canvas(720, 420);
  draw::histogram(canvas, {.x = 64, .y = 60, .width = 636, .height = 300}, samples, kLikelihoodBins,
                  {.title = "How likely a flow finds each example",
                   .subtitle = "the fewer bits, the likelier",
                   .x_label = "bits per dimension",
                   .y_label = "examples"});
  return canvas;
}

}  // namespace

void LikelihoodUseOptions::declare(OptionSet& options) {
  options.text("model", model, "a model file, a run folder or a checkpoint of a flow");
  options.text("data", data, "the set whose likelihood is wanted, by name or path");
  options.count("count", count, Range::between(1, 1e6), "examples, chosen at random");
  options.choice("part", part, split_names(), "the part of sets that have parts");
  options.text("label", label, "own for each example's class, null for none, or a class");
  options.choice("divergence", divergence, divergence_names(),
                 "exact takes as many derivatives as a state has numbers, signs is Hutchinson's "
                 "estimate; auto is exact for states of up to 64 numbers");
  options.count("probes", probes, Range::between(1, 4096), "signs: how many for each example");
  options.number("atol", atol, {.least = 0, .most = 1e6, .above = true},
                 "absolute error of the integration");
  options.number("rtol", rtol, {.least = 0, .most = 1e6, .above = true},
                 "relative error of the integration");
  options.flag("dequantise", dequantise,
               "pixels are spread over the width of a byte, so that bits are those of bytes");
  options.count("seed", seed, Range::between(0, 9e15), "of the signs and the spread");
  options.count("rows", rows, Range::between(0, 100000),
                "examples computed at once; 0 chooses by their size");
  options.text("out", out, "folder for the table and the histogram");
  codec.declare(options);
  runtime.declare(options);
}

LikelihoodResult run(const LikelihoodUseOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no data were given", "name a set by {data}");
  }
  const Model model = load_for(options.model, type);
  require_flow(model.objective.kind);
  const LearnedField field(model);
  const Codec codec = options.codec.codec_of(model, type);
  const MeasuredStates states = read_measured(options, model, codec, type, host);
  const int64_t dimensions = c10::multiply_integers(model.backbone->state_shape());
  LikelihoodResult result;
  result.pixels = states.pixels;
  result.count = states.x.size(0);
  result.exact = options.divergence == DivergenceBy::exact ||
                 (options.divergence == DivergenceBy::automatic && dimensions <= kMostExact);
  const OutputFolder folder(options.out);
  host.begin_stoppable_work();
  host.progress().begin("integrating", result.count, "examples");
  LikelihoodOptions how = {.atol = options.atol,
                           .rtol = options.rtol,
                           .probes = result.exact ? 0 : options.probes,
                           .seed = static_cast<uint64_t>(options.seed),
                           .capacity = options.rows > 0 ? options.rows : default_capacity(field)};
  how.go_on = [&](const EngineCounts& counts) {
    host.progress().update(counts.finished, "");
    return !host.stop_requested();
  };
  const std::vector<Likelihood> all =
      likelihoods(differentiable(field), states.x, states.labels, how);
  host.progress().end();
  if (host.stop_requested()) {
    host.log()->warn("interrupted: nothing is written to {}", options.out);
    result.stopped = true;
    return result;
  }
  std::vector<double> bits;
  for (const Likelihood& one : all) {
    bits.push_back(bits_of(one, model, static_cast<double>(dimensions)));
    result.evaluations += static_cast<double>(one.evaluations) / static_cast<double>(all.size());
    if (std::isfinite(bits.back())) continue;
    throw Error(ErrorKind::numeric,
                fmt::format("the flow could not be followed back from example {}",
                            states.indices[bits.size() - 1]),
                "loosen {atol} and {rtol}; is the model trained?");
  }
  add_interval(bits, result);
  const std::filesystem::path out = options.out;
  write_likelihoods(out / "likelihood.csv", states, all, bits);
  write_figure(out / "histogram", bits_figure(bits, options.data),
               {{"Software", software_name()}, {"Model", options.model}, {"Data", options.data}});
  result.files = {"likelihood.csv", "histogram.png", "histogram.svg"};
  host.log()->info("wrote {} to {}", fmt::join(result.files, ", "), options.out);
  return result;
}

std::string text_of(const LikelihoodResult& result) {
  if (result.stopped) return {};
  return fmt::format(
      "{:<18} {}\n{:<18} {:.4f} (90 %: {:.4f} to {:.4f}){}\n{:<18} {}\n{:<18} {:.1f}\n", "examples",
      result.count, "bits per dimension", result.bits, result.low, result.high,
      result.pixels ? "" : ", of the density", "divergence",
      result.exact ? "exact" : "estimated by random signs", "mean evaluations", result.evaluations);
}

}  // namespace eqm::app
