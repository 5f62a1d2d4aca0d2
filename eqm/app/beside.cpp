#include "eqm/app/beside.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/model_lookup.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/sweep_grid.h"
#include "eqm/base/error.h"
#include "eqm/descend/sampling.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostPairs = 10;

void require_same_things(const Model& first, const Model& other, const std::string& name) {
  const Shape own = first.backbone->state_shape(), its = other.backbone->state_shape();
  if (own.size() != 3) {
    throw Error(ErrorKind::usage, "only models of images can be drawn beside each other",
                "omit {beside}");
  }
  if (own != its) {
    throw Error(ErrorKind::usage,
                fmt::format("'{}' makes states of {}, and the model of {}", name,
                            fmt::join(its, "x"), fmt::join(own, "x")),
                "give {beside} a model of the same data");
  }
  if (other.backbone->num_classes() > 0 && first.class_names != other.class_names) {
    throw Error(ErrorKind::usage, fmt::format("'{}' has other classes than the model", name),
                "give {beside} a model of the same classes, or one without");
  }
}

}  // namespace

DescentOptions descent_beside(DescentOptions descent) {
  if (descent.rule == RuleKind::automatic) descent.rule = RuleKind::euler;
  return descent;
}

Beside::Beside(const std::string& name, const SamplingPlan& plan, const DescentOptions& descent,
               const CodecOptions& codec, const torch::TensorOptions& type)
    : name_(name),
      plan_(plan),
      descent_(descent.resolve(plan.model.objective)),
      model_(load_for(name, type)),
      codec_(codec.codec_of(model_, type)),
      first_(std::min({plan.layout.rows, plan.layout.count, kMostPairs}), descent_.stop().limit),
      second_(first_.samples(), descent_.stop().limit) {
  require_same_things(plan.model, model_, name);
  descent_.validate(model_.objective);
}

bool Beside::draw(const std::vector<SamplingRow>& rows, uint64_t seed, Host& host) {
  SamplingSpec job = {.count = second_.samples(), .seed = seed, .descent = descent_};
  const bool has_classes = model_.backbone->num_classes() > 0;
  job.terms = [&](int64_t i) {
    return has_classes ? rows[static_cast<size_t>(plan_.layout.row_of(i))].terms : Terms();
  };
  job.watch = [&](int64_t i, const Sight& sight) { second_.watch(i, sight); };
  job.done = [&](int64_t i, const Outcome& outcome) { second_.add(i, outcome); };
  SamplingProgress progress(host.progress(), "sampling " + name_, job.count, descent_);
  job.go_on = [&](const EngineCounts& counts) {
    progress.update(counts);
    return !host.stop_requested();
  };
  run_sampling(LearnedField(model_), job);
  progress.end();
  return !host.stop_requested();
}

Image Beside::picture(const std::string& name) const {
  const Objective& own = plan_.model.objective;
  const bool differ = own.kind != model_.objective.kind;
  const std::vector<std::string> called =
      differ ? std::vector{name_of(own.kind), name_of(model_.objective.kind)}
             : short_names({name, name_});
  const Shape shape = model_.backbone->state_shape();
  std::vector<StripRow> rows;
  for (int64_t i = 0; i < first_.samples(); ++i) {
    const std::string label = plan_.row_names.empty()
                                  ? fmt::format("sample {}", i)
                                  : plan_.row_names[static_cast<size_t>(plan_.layout.row_of(i))];
    rows.push_back({label + ", " + called[0], first_.stages(i, shape), plan_.codec});
    rows.push_back({label + ", " + called[1], second_.stages(i, shape), codec_});
  }
  return strip_picture(rows, first_.steps(),
                       fmt::format("{}, from the same noise", descent_.described()));
}

}  // namespace eqm::app
