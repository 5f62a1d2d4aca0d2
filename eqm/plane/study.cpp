#include "eqm/plane/study.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "eqm/backbone/mlp.h"
#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/nearest.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/csv.h"
#include "eqm/measure/content_order.h"
#include "eqm/measure/sliced_wasserstein.h"
#include "eqm/plane/footprint.h"
#include "eqm/plane/sets.h"
#include "eqm/tensor/noise_tensor.h"
#include "eqm/train/fit.h"
#include "eqm/train/training_batch.h"

namespace eqm {
namespace {

constexpr int64_t kLeastToHoldOut = 100;  // points of a CSV file; a fifth is then held out
constexpr int64_t kMostSets = 100;        // of points whose distances are averaged
constexpr double kLeastDistance = 0.02;   // of γ from 1: finer than the network can draw

struct PlaneData {
  Tensor training;  // [n, 2]
  Tensor fresh;     // [m, 2], not trained on; undefined when there are too few points to spare any
};

PlaneData data_from_csv(const std::string& path) {
  const Table table = read_csv(path, 2);
  if (table.rows() < 2) {
    throw Error(ErrorKind::input, fmt::format("'{}' holds a single point", path),
                "two different points are the least that can be learned from");
  }
  const Tensor all = torch::tensor(table.values, torch::kFloat64).reshape({table.rows(), 2});
  // By chance, whatever the order of the lines: it may be in step with any rule.
  const Tensor shuffled = all.index_select(0, content_order(content_keys(all), kPlaneHeldOutSeed));
  if (table.rows() < kLeastToHoldOut) return {.training = shuffled, .fresh = {}};
  const int64_t fresh = table.rows() / 5;
  return {.training = shuffled.narrow(0, fresh, table.rows() - fresh),
          .fresh = shuffled.narrow(0, 0, fresh)};
}

// The mean over sets of `count` points.
double mean_distance(const Tensor& points, const Tensor& data, int64_t count) {
  const int64_t sets = std::min(points.size(0) / count, kMostSets);
  double sum = 0;
  for (int64_t i = 0; i < sets; ++i) {
    sum += sliced_wasserstein(points.narrow(0, i * count, count), data);
  }
  return sum / static_cast<double>(sets);
}

bool exists(const std::string& path) {
  std::error_code ignored;  // a path that cannot be asked about is left to the reader to refuse
  return std::filesystem::exists(path, ignored);
}

PlaneData load_data(const PlaneOptions& options) {
  if (const auto set = find_named(plane_set_names(), options.data)) {
    const auto seed = static_cast<uint64_t>(options.seed);
    return {.training = plane_points(*set, seed, 0, options.points),
            .fresh = plane_points(*set, seed, options.points, options.samples)};
  }
  const bool looks_like_a_file = options.data.find_first_of("./") != std::string::npos;
  if (!looks_like_a_file && !exists(options.data)) {
    throw Error(ErrorKind::usage,
                fmt::format("data '{}' is neither a built-in set nor a file", options.data),
                suggestion(options.data, all_names(plane_set_names())));
  }
  return data_from_csv(options.data);
}

Scaling scaling_of(const Tensor& points, const std::string& source, double spread) {
  const Tensor centre = points.mean(0);
  const double deviation = (points - centre).square().mean().sqrt().item<double>();
  if (!std::isfinite(deviation)) {
    throw Error(ErrorKind::input, fmt::format("the points of '{}' are too far apart", source),
                "divide the coordinates by a large number");
  }
  const double extent = (points - centre).abs().max().item<double>();
  if (extent > 0 && !(deviation > 0)) {
    throw Error(ErrorKind::input, fmt::format("the points of '{}' are too close together", source),
                "multiply the coordinates by a large number");
  }
  if (!(deviation > 0)) {
    throw Error(ErrorKind::input, fmt::format("all points of '{}' are the same", source),
                "two different points are the least that can be learned from");
  }
  return {.centre = {centre[0].item<double>(), centre[1].item<double>()},
          .unit = deviation / spread};
}

Model make_model(const PlaneOptions& options, ObjectiveKind kind) {
  Model model;
  model.backbone = std::make_shared<Mlp>(MlpConfig{.dimension = 2,
                                                   .width = options.width,
                                                   .depth = options.depth,
                                                   .fourier = options.fourier,
                                                   .fourier_scale = 2.0,
                                                   .input_scale = options.spread,
                                                   .num_classes = 0,
                                                   .time_input = sees_time(kind)});
  model.backbone->initialise(static_cast<uint64_t>(options.seed));
  model.objective = {.kind = kind, .magnitude = options.magnitude, .dispersive_weight = 0};
  return model;
}

// Points drawn with replacement.
TrainingBatch batch_of(const RowRange& rows, const PlaneOptions& options, ObjectiveKind kind,
                       const Tensor& data, const torch::TensorOptions& type) {
  const Randomness randomness = {.seed = static_cast<uint64_t>(options.seed),
                                 .gamma_focus = is_flow(kind) ? 0 : options.focus,
                                 .gamma_least = kLeastDistance};
  const Tensor where = uniform_rows(
      {.seed = randomness.seed, .sample = static_cast<uint64_t>(rows.first), .draw = draw_index},
      rows.count, torch::kFloat64);
  const Tensor index = (where * data.size(0)).to(torch::kInt64).clamp_max(data.size(0) - 1);
  return make_training_batch(data.index_select(0, index).to(type), {}, rows, randomness);
}

void train(Model& model, const PlaneOptions& options, const Tensor& data, const Runtime& runtime,
           Progress& progress) {
  const auto batches = [&](int64_t step) {
    return batch_of(rows_of_batch(step, options.batch), options, model.objective.kind, data,
                    runtime.tensors());
  };
  FitOptions fitting = {.steps = options.steps, .lr = options.lr};
  const ObjectiveKind kind = model.objective.kind;
  if (kind == ObjectiveKind::eqm_l2) {
    // ½‖f‖² is flat where f starts at zero, so f is first trained as a gradient, half of the time.
    fitting.steps = (options.steps + 1) / 2;
    model.objective.kind = ObjectiveKind::eqm;
    progress.begin("learning eqm first", fitting.steps, "steps");
    fit(model, batches, fitting, progress, runtime);
    progress.end();
    model.objective.kind = kind;
  }
  progress.begin("learning " + name_of(kind), fitting.steps, "steps");
  fit(model, batches, fitting, progress, runtime);
  progress.end();
}

// Follows the first particles on their way, and the norms of all.
class Recorder {
 public:
  explicit Recorder(int64_t particles) : followed_(static_cast<size_t>(particles)) {}

  void see(int64_t sample, const Sight& sight) {
    const auto step = static_cast<size_t>(sight.step);
    if (step >= moving_.size()) {
      sums_.resize(step + 1);
      moving_.resize(step + 1);
    }
    sums_[step] += sight.norm;
    ++moving_[step];
    if (sample < static_cast<int64_t>(followed_.size())) {
      followed_[static_cast<size_t>(sample)].push_back(sight.x);
    }
  }

  // States of the particles at every step, each [particles, 2]; `ends` are the states of all
  // samples at the end, where those that rest stay.
  std::vector<Tensor> paths(const Tensor& ends) const {
    std::vector<Tensor> all;
    for (size_t step = 0; step <= moving_.size(); ++step) {
      Tensor states = ends.narrow(0, 0, static_cast<int64_t>(followed_.size())).clone();
      for (size_t i = 0; i < followed_.size(); ++i) {
        if (step < followed_[i].size()) {
          put_state(followed_[i][step], states, static_cast<int64_t>(i));
        }
      }
      all.push_back(states);
    }
    return all;
  }

  // Of the samples still moving, per step.
  std::vector<double> mean_norms() const {
    std::vector<double> means;
    for (size_t step = 0; step < moving_.size(); ++step)
      means.push_back(sums_[step] / moving_[step]);
    return means;
  }

 private:
  std::vector<std::vector<State>> followed_;
  std::vector<double> sums_, moving_;
};

PlaneDescent run(const PlaneOptions& options, ObjectiveKind kind, const Scaling& scaling,
                 const Tensor& data, const Runtime& runtime, Progress& progress) {
  PlaneDescent result;
  result.model = make_model(options, kind);
  result.model.scaling = scaling;
  const auto to_user = [&](const Tensor& states) {
    return scaling.to_values(states.cpu().to(torch::kFloat64));
  };
  result.model.backbone->to(runtime.device, runtime.dtype);
  train(result.model, options, scaling.to_states(data), runtime, progress);

  const Tensor start =
      normal_rows({.seed = static_cast<uint64_t>(options.seed), .sample = 0, .draw = draw_start},
                  options.samples, {2}, runtime.tensors());
  SamplingSpec request = {.labels = {},
                          .count = options.samples,
                          .seed = static_cast<uint64_t>(options.seed),
                          .descent = {.limit = kFlowSteps}};  // of the flow beside
  if (kind == options.objective) request.descent = options.descent_for(kind);
  Recorder recorder(std::min(options.paths, options.samples));
  request.watch = [&](int64_t sample, const Sight& sight) { recorder.see(sample, sight); };
  DescentResult descent = sample(LearnedField(result.model), request);
  for (const Tensor& states : recorder.paths(descent.x)) result.paths.push_back(to_user(states));
  result.mean_norms = recorder.mean_norms();
  result.start = to_user(start);
  result.samples = to_user(descent.x);
  result.records = std::move(descent.samples);
  return result;
}

}  // namespace

PlaneStudy study_plane(const PlaneOptions& options, const Runtime& runtime, Progress& progress) {
  options.validate();
  const RuntimeScope scope(runtime);
  const PlaneData data = load_data(options);
  if (runtime.device.is_cpu()) {
    const PlaneFootprint footprint =
        footprint_of(options, data.training.size(0), runtime.tensors());
    require_memory(footprint.total(), footprint.remedy());
  }
  PlaneStudy study;
  study.data = data.training;
  study.scaling = scaling_of(data.training, options.data, options.spread);
  study.compared =
      data.fresh.defined() ? std::min(options.samples, data.fresh.size(0)) : options.samples;
  const auto distance_of = [&](const Tensor& points) {
    return mean_distance(points, study.data, study.compared);
  };
  study.main = run(options, options.objective, study.scaling, data.training, runtime, progress);
  study.main.distance = distance_of(study.main.samples);
  if (options.flow_beside && options.objective != ObjectiveKind::fm) {
    study.flow = run(options, ObjectiveKind::fm, study.scaling, data.training, runtime, progress);
    study.flow->distance = distance_of(study.flow->samples);
  }
  if (data.fresh.defined()) study.fresh_distance = distance_of(data.fresh);
  study.noise_distance = distance_of(study.main.start);
  return study;
}

}  // namespace eqm
