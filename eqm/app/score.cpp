#include "eqm/app/score.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/app/figure_file.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/score_sets.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/descend/evaluation.h"
#include "eqm/descend/score.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

std::vector<ScoreSet> open_score_sets(const ScoreOptions& options, const Model& model,
                                      const Codec& codec, Host& host) {
  const ScoreSetOptions how = {.split = options.part, .count = options.count, .log = host.log()};
  std::vector<ScoreSet> sets = {open_score_set(options.data, model, codec, how)};
  for (const std::string& name : names_in(options.against)) {
    sets.push_back(open_score_set(name, model, codec, how));
  }
  return sets;
}

Tensor repeated_label(int64_t label, int64_t count) {
  return label == kNullClass ? Tensor() : torch::full({count}, label, torch::kInt64);
}

void append_scores(std::vector<double>& all, const Tensor& some) {
  const double* values = some.data_ptr<double>();
  all.insert(all.end(), values, values + some.numel());
}

void require_finite_scores(const ScoredSet& set, const Source& source) {
  for (size_t i = 0; i < set.scores.size(); ++i) {
    if (std::isfinite(set.scores[i])) continue;
    throw Error(ErrorKind::numeric,
                fmt::format("the score of {} is {}", source.name_of(static_cast<int64_t>(i)),
                            set.scores[i]),
                "is the model trained, and are the data in the range it knows?");
  }
}

// What the sets are scored by.
struct Scoring {
  const LearnedField& field;
  const Codec& codec;
  torch::TensorOptions type;
  int64_t label, batch;
};

// Nothing when the host asks for a stop.
std::vector<ScoredSet> score_all(const Scoring& by, const std::vector<ScoreSet>& sets, Host& host) {
  int64_t total = 0, done = 0;
  for (const ScoreSet& set : sets) total += set.source->size();
  host.progress().begin("scoring", total, "examples");
  std::vector<ScoredSet> scored;
  for (const ScoreSet& set : sets) {
    ScoredSet& result = scored.emplace_back(ScoredSet{set.name, set.indices, {}});
    const int64_t size = set.source->size();
    for (int64_t first = 0; first < size; first += by.batch) {
      if (host.stop_requested()) {
        host.progress().end();
        return {};
      }
      const Batch batch = read_batch(*set.source, first, std::min(by.batch, size - first));
      const int64_t count = batch.shape.front();
      append_scores(result.scores, scores(by.field, states_of(batch, by.codec, by.type),
                                          {.labels = repeated_label(by.label, count), .time = {}}));
      done += count;
      host.progress().update(done, set.name);
    }
    require_finite_scores(result, *set.source);
  }
  host.progress().end();
  return scored;
}

}  // namespace

void ScoreOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  options.text("data", data, "the set the model should know, by name or path");
  options.text("against", against,
               "sets to compare with, with commas; constant and noise are made on the spot");
  options.count("count", count, Range::between(1, 1e6), "examples of each set, chosen at random");
  options.choice("part", part, split_names(), "the part of sets that have parts");
  options.text("label", label, "a class to score all sets under; empty for none");
  options.count("batch", batch, Range::between(1, 100000), "examples computed at once");
  options.text("out", out, "folder for the scores and their histogram");
  codec.declare(options);
  runtime.declare(options);
}

ScoreResult run(const ScoreOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no data were given", "name a set by {data}");
  }
  const std::string model_name = given_or_shipped_model(options.model, *host.log());
  const Model model = load_for(model_name, type);
  require_score(model.objective.kind);
  const LearnedField field(model);
  const Codec codec = options.codec.codec_of(model, type);
  const std::vector<ScoreSet> sets = open_score_sets(options, model, codec, host);
  const int64_t label = options.label.empty() ? kNullClass : label_of(model, options.label);
  check_terms(field, only(label));
  require_memory(static_cast<double>(options.batch) * static_cast<double>(type.dtype().itemsize()) *
                     field.activation_floats_per_row(),
                 "lower {batch}");
  const OutputFolder folder(options.out);
  host.begin_stoppable_work();
  ScoreResult result;
  result.sets = score_all({field, codec, type, label, options.batch}, sets, host);
  if (result.sets.empty()) {
    host.log()->warn("interrupted: nothing is written to {}", options.out);
    result.stopped = true;
    return result;
  }
  const std::filesystem::path out = options.out;
  write_scores(out / "scores.csv", result.sets);
  write_figure(out / "histogram", score_figure(result.sets, score_name(field)),
               {{"Software", software_name()}, {"Model", model_name}, {"Data", options.data}});
  result.files = {"scores.csv", "histogram.png", "histogram.svg"};
  host.log()->info("wrote scores.csv, histogram.png and histogram.svg to {}", options.out);
  return result;
}

}  // namespace eqm::app
