#include "eqm/app/lab/lab.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "eqm/app/lab/experiment_report.h"
#include "eqm/app/lab/measurement_kind.h"
#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/base/nearest.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"

namespace eqm::app {
namespace {

namespace fs = std::filesystem;

constexpr int kLabVersion = 1;

void require_version(const fs::path& folder) {
  const fs::path mark = folder / "lab.json";
  std::error_code ignored;
  if (fs::exists(mark, ignored) && !fs::is_regular_file(mark, ignored)) {
    throw Error(ErrorKind::input, fmt::format("'{}' is not a file", mark.string()),
                "choose another {out}");
  }
  if (!fs::exists(mark, ignored)) {
    write_file(mark, nlohmann::json{{"version", kLabVersion}}.dump() + "\n");
    return;
  }
  std::ifstream file(mark, std::ios::binary);
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (json.is_object() && json.contains("version") && json["version"] == kLabVersion) return;
  throw Error(ErrorKind::input,
              fmt::format("'{}' is a lab of another version of eqm", folder.string()),
              "choose another {out}, or remove that folder");
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  for (size_t first = 0; first < list.size();) {
    const size_t end = std::min(list.find(',', first), list.size());
    const size_t begin = list.find_first_not_of(' ', first);
    if (begin < end) words.push_back(list.substr(begin, end - begin));
    first = end + 1;
  }
  return words;
}

void require_finite(const NamedEstimates& numbers, const std::string& origin) {
  for (const auto& [name, estimate] : numbers) {
    if (std::isfinite(estimate.value + estimate.low + estimate.high)) continue;
    throw Error(ErrorKind::numeric, fmt::format("{}: '{}' is not a finite number", origin, name),
                "are there samples enough, and did they not all diverge?");
  }
}

// The numbers of the table, the charted one first.
std::vector<std::string> columns_of(const Experiment& experiment) {
  std::vector<std::string> columns = words_in(experiment.also);
  const std::string& first = experiment.number.empty()
                                 ? measurement_kind(experiment.measure, experiment.name).first
                                 : experiment.number;
  columns.insert(columns.begin(), first);
  return columns;
}

void require_best_axis(const Experiment& experiment) {
  if (experiment.best.empty()) return;
  std::vector<std::string> names;
  if (!experiment.vary.empty()) {
    for (const Axis& axis : axes_of(experiment.vary)) names.push_back(axis.name);
  }
  if (std::ranges::find(names, experiment.best) != names.end()) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: '{}' is not varied, so there is no best of it", experiment.name,
                          experiment.best),
              "`best` names an axis of `vary`");
}

// What claims speak of is measured: refused before anything is trained.
void require_claimed_points(const Experiment& experiment, const std::string& axis) {
  std::vector<std::string> points;
  if (!axis.empty()) {
    for (const Axis& one : axes_of(experiment.vary)) {
      if (one.name == axis) points = one.values;
    }
  }
  for (const ExperimentClaim& claim : experiment.claims) {
    for (const MeasuredName& name : names_in(parse_claim(claim.that, experiment.name))) {
      const bool known = name.point.empty()
                             ? points.size() <= 1
                             : std::ranges::any_of(points, [&](const std::string& point) {
                                 return is_same_point(point, name.point);
                               });
      if (known) continue;
      throw Error(ErrorKind::input,
                  fmt::format("{}: the claim '{}' speaks of a point that is not measured",
                              experiment.name, claim.that),
                  axis.empty() ? "nothing is varied: name the curve alone"
                               : fmt::format("the points of {} are {}", axis,
                                             fmt::format("{}", fmt::join(points, ", "))));
    }
  }
}

void require_number(const NamedEstimates& numbers, const std::string& name,
                    const std::string& origin) {
  if (find_estimate(numbers, name)) return;
  std::vector<std::string> known;
  for (const auto& [one, estimate] : numbers) known.push_back(one);
  throw Error(ErrorKind::input, fmt::format("{}: '{}' is not measured", origin, name),
              suggestion(name, known));
}

// Of points that differ in nothing but the axis of the best, the best one stays.
void add_point(ExperimentResult& result, const std::string& curve, const ResultPoint& point) {
  if (result.curves.empty() || result.curves.back().name != curve) {
    result.curves.push_back({.name = curve, .points = {}});
  }
  std::vector<ResultPoint>& points = result.curves.back().points;
  const auto same = std::ranges::find(points, point.point, &ResultPoint::point);
  if (same == points.end()) {
    points.push_back(point);
    return;
  }
  const auto charted = [&](const ResultPoint& one) {
    return find_estimate(one.numbers, result.numbers.front())->value;
  };
  const bool better = result.experiment.larger_is_better ? charted(point) > charted(*same)
                                                         : charted(point) < charted(*same);
  if (better) *same = point;
}

}  // namespace

// One measurement of one model.
struct Lab::Point {
  std::string curve, point = {}, chosen = {};  // the last: "eta 0.01" on the axis of the best
  std::vector<LabModel> models;  // the measured one last, before it those it begins with
  double at = 1;                 // share of the training
  MeasurementRequest request = {};
  std::string key = {};
};

struct Lab::Plan {
  std::vector<LabModel> models;             // to be trained, each once, in this order
  std::vector<std::vector<Point>> by_seed;  // the same points for each seed
  std::string axis;
};

Lab::Lab(LabPlace place, Host& host)
    : place_(std::move(place)),
      host_(host),
      use_host_(host),
      lock_(place_.folder),
      store_(place_.folder / "measurements.jsonl") {
  require_version(place_.folder);
}

void Lab::require_data(const Experiment& experiment) const {
  for (const ExperimentNeed& need : experiment.needs) {
    std::error_code ignored;
    if (fs::exists(place_.data / need.data, ignored)) continue;
    throw Error(
        ErrorKind::input,
        fmt::format("{} needs the data '{}'", experiment.name, (place_.data / need.data).string()),
        fmt::format("get them from {}, or say by {{data}} where they are", need.from));
  }
}

std::vector<Lab::Point> Lab::points_of_curve(const Experiment& experiment,
                                             const ExperimentCurve& curve, int64_t seed) const {
  const std::string origin = fmt::format("{}, curve {}", experiment.name, curve.name);
  const MeasurementKind& kind = measurement_kind(experiment.measure, origin);
  const std::vector<LabModel> models = lab_models(place_, experiment, curve.model, seed);
  Settings common;
  for (const std::string& text : {place_.scale.options_of(kind.name),
                                  place_.scale.role(experiment.model(curve.model).role).measure,
                                  experiment.options, curve.options}) {
    common = changed(common, settings_in(text, origin));
  }
  const std::vector<Axis> axes =
      experiment.vary.empty() ? std::vector<Axis>() : axes_of(experiment.vary);
  std::vector<Point> points;
  for (const GridPoint& values : points_of(axes)) {
    Point point = {.curve = curve.name, .models = models, .at = curve.at};
    Settings settings = common;
    for (size_t i = 0; i < axes.size(); ++i) {
      settings = changed(settings, {{axes[i].name, values[i]}});
      if (axes[i].name == experiment.best) {
        point.chosen = axes[i].name + " " + values[i];
      } else {
        point.point = values[i];
      }
    }
    point.request = {.origin = origin,
                     .model = {},
                     .settings = with_data(settings, place_.data),
                     .seed = seed,
                     .runtime = place_.runtime};
    Hash hash;
    hash.add(kind.name)
        .add(models.back().key)
        .add(fmt::format("{}", curve.at))
        .add(seed)
        .add(kind.identity(point.request));
    point.key = fmt::format("{:016x}", hash.value());
    point.request.out = place_.folder / "measured" / point.key;
    points.push_back(std::move(point));
  }
  return points;
}

Lab::Plan Lab::plan_of(const Experiment& experiment, int64_t seeds) const {
  Plan plan;
  for (const Axis& axis :
       experiment.vary.empty() ? std::vector<Axis>() : axes_of(experiment.vary)) {
    if (axis.name == experiment.best) continue;
    if (!plan.axis.empty()) {
      throw Error(
          ErrorKind::input,
          fmt::format("{}: both {} and {} are varied", experiment.name, plan.axis, axis.name),
          "one axis may be varied, and a second one named by `best`");
    }
    plan.axis = axis.name;
  }
  require_best_axis(experiment);
  require_claimed_points(experiment, plan.axis);
  for (int64_t seed = 0; seed < seeds; ++seed) {
    std::vector<Point>& points = plan.by_seed.emplace_back();
    for (const ExperimentCurve& curve : experiment.curves) {
      for (Point& point : points_of_curve(experiment, curve, seed))
        points.push_back(std::move(point));
    }
  }
  plan.models = untrained_models(plan);
  return plan;
}

// Those that measurements still to be made need. What is measured needs its model no longer, so a
// lab can be carried to another machine by its measurements alone.
std::vector<LabModel> Lab::untrained_models(const Plan& plan) const {
  std::vector<LabModel> untrained;
  std::set<std::string> planned;
  for (const std::vector<Point>& points : plan.by_seed) {
    for (const Point& point : points) {
      if (store_.find(point.key) || point.models.back().is_done()) continue;
      for (const LabModel& model : point.models) {
        if (!model.is_done() && planned.insert(model.key).second) untrained.push_back(model);
      }
    }
  }
  return untrained;
}

bool Lab::is_trained(const Experiment& experiment, int64_t seeds) const {
  return plan_of(experiment.at(place_.scale.name), seeds).models.empty();
}

bool Lab::train_for(const Experiment& experiment, const Plan& plan, const Point& point) {
  for (const LabModel& model : point.models) {
    const auto place = std::ranges::find(plan.models, model.key, &LabModel::key);
    if (place == plan.models.end() || model.is_done()) continue;
    use_host_.set_stage(fmt::format("{}: model {} of {}, {}", experiment.name,
                                    place - plan.models.begin() + 1, plan.models.size(),
                                    model.title));
    if (!train(model, use_host_)) return false;
  }
  return true;
}

std::optional<NamedEstimates> Lab::measured(const Experiment& experiment, const Plan& plan,
                                            const Point& point) {
  if (const NamedEstimates* known = store_.find(point.key)) return *known;
  if (!train_for(experiment, plan, point)) return std::nullopt;
  use_host_.set_stage(fmt::format("{}: measuring {} {} {}", experiment.name, point.curve,
                                  point.point, point.chosen));
  MeasurementRequest request = point.request;
  request.model = point.models.back().weights_at(point.at);
  const OutputFolder pictures(request.out);
  const auto numbers = measurement_kind(experiment.measure, request.origin).run(request, use_host_);
  if (!numbers) return std::nullopt;
  require_finite(*numbers, request.origin);
  const std::string about =
      fmt::format("{}: {} {} {}", experiment.name, point.curve, point.point, point.chosen);
  store_.add(point.key, about, *numbers);
  return *numbers;
}

std::optional<ResultPoint> Lab::measured_over_seeds(const Experiment& experiment, const Plan& plan,
                                                    size_t place) {
  std::map<std::string, std::vector<Estimate>> repetitions;
  NamedEstimates latest;
  for (const std::vector<Point>& of_seed : plan.by_seed) {
    const auto numbers = measured(experiment, plan, of_seed[place]);
    if (!numbers) return std::nullopt;
    for (const auto& [name, estimate] : *numbers) repetitions[name].push_back(estimate);
    latest = *numbers;
  }
  const Point& point = plan.by_seed.front()[place];
  ResultPoint result = {.point = point.point, .chosen = point.chosen, .numbers = {}};
  for (const auto& [name, ignored] : latest) {
    result.numbers.emplace_back(name, mean_estimate(repetitions[name]));
  }
  return result;
}

std::optional<ExperimentResult> Lab::run(const Experiment& asked, int64_t seeds) {
  const Experiment experiment = asked.at(place_.scale.name);
  require_data(experiment);
  const Plan plan = plan_of(experiment, seeds);
  ExperimentResult result = {.experiment = experiment,
                             .scale = place_.scale.name,
                             .seeds = seeds,
                             .numbers = columns_of(experiment),
                             .axis = plan.axis};
  const size_t points = plan.by_seed.front().size();
  for (size_t i = 0; i < points; ++i) {
    const auto point = measured_over_seeds(experiment, plan, i);
    if (!point) return std::nullopt;
    for (const std::string& number : result.numbers) {
      require_number(point->numbers, number, experiment.name);
    }
    add_point(result, plan.by_seed.front()[i].curve, *point);
  }
  judge_claims(result);
  const fs::path folder = place_.folder / experiment.name;
  const OutputFolder reports(folder);
  write_report(folder, result);
  return result;
}

}  // namespace eqm::app
