#include "eqm/app/score.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/figure_file.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/score_output.h"
#include "eqm/app/score_sets.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/descend/evaluation.h"
#include "eqm/descend/score.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"
#include "eqm/measure/typicality.h"

namespace eqm::app {
namespace {

std::vector<ScoreSet> open_score_sets(const ScoreOptions& options, const Model& model,
                                      const Codec& codec, Host& host) {
  ScoreSetOptions how = {.split = options.part,
                         .count = options.count,
                         .keep_reference = row_of(options.by).two_sided,
                         .log = host.log()};
  std::vector<ScoreSet> sets = {open_score_set(options.data, model, codec, how)};
  how.keep_reference = false;
  how.jpeg = options.jpeg;
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

void require_finite_scores(std::span<const double> scores, const Source& source) {
  for (size_t i = 0; i < scores.size(); ++i) {
    if (std::isfinite(scores[i])) continue;
    throw Error(
        ErrorKind::numeric,
        fmt::format("the score of {} is {}", source.name_of(static_cast<int64_t>(i)), scores[i]),
        "is the model trained, and are the data in the range it knows?");
  }
}

// What the sets are scored by.
struct Scoring {
  const LearnedField& field;
  const Codec& codec;
  torch::TensorOptions type;
  ScoreKind kind;
  int64_t label, batch;
};

class ScoreRun {
 public:
  ScoreRun(const Scoring& by, const std::vector<ScoreSet>& sets, Host& host)
      : by_(by), sets_(sets), host_(host) {}

  // Nothing when the host asks for a stop.
  std::vector<ScoredSet> all() {
    int64_t total = 0;
    for (const ScoreSet& set : sets_) {
      total += set.source->size() + (set.reference ? set.reference->size() : 0);
    }
    host_.progress().begin("scoring", total, "examples");
    std::vector<ScoredSet> scored;
    std::optional<Typicality> typicality;
    for (const ScoreSet& set : sets_) {
      if (set.reference) {
        const auto reference = scores_of(*set.reference, set.name);
        if (!reference) return {};
        typicality.emplace(*reference);
      }
      auto own = scores_of(*set.source, set.name);
      if (!own) return {};
      scored.push_back({set.name, set.indices, typicality ? (*typicality)(*own) : *own});
    }
    host_.progress().end();
    return scored;
  }

 private:
  // Nothing when the host asks for a stop.
  std::optional<std::vector<double>> scores_of(const Source& source, const std::string& name) {
    std::vector<double> all;
    for (int64_t first = 0; first < source.size(); first += by_.batch) {
      if (host_.stop_requested()) {
        host_.progress().end();
        return std::nullopt;
      }
      const Batch batch = read_batch(source, first, std::min(by_.batch, source.size() - first));
      const int64_t count = batch.shape.front();
      append_scores(all,
                    scores(by_.field, states_of(batch, by_.codec, by_.type),
                           {.labels = repeated_label(by_.label, count), .time = {}}, by_.kind));
      done_ += count;
      host_.progress().update(done_, name);
    }
    require_finite_scores(all, source);
    return all;
  }

  const Scoring& by_;
  const std::vector<ScoreSet>& sets_;
  Host& host_;
  int64_t done_ = 0;
};

// What the numbers on the axis are.
std::string quantity_of(ScoreKind kind, const Field& field) {
  const std::string computed(computed_score(kind, field.has_energy()).quantity);
  return row_of(kind).two_sided ? fmt::format("atypicality of the {}", computed) : computed;
}

void write_figures(const std::filesystem::path& path, const ScoreOptions& options,
                   const std::string& model, const std::string& quantity,
                   const ScoreResult& result) {
  nlohmann::json figures = score_json(result.sets, result.average);
  figures["model"] = model;
  figures["data"] = options.data;
  figures["part"] = name_in(split_names(), options.part);
  figures["by"] = name_in(score_names(), options.by);
  figures["score"] = quantity;
  figures["label"] = options.label;
  figures["jpeg"] = options.jpeg;
  write_file(path, figures.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

}  // namespace

void ScoreOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  options.text("data", data, "in-distribution data, by name or path");
  options.text("against", against,
               "sets to compare with, separated by commas; constant and noise are generated");
  options.count("count", count, Range::between(1, 1e6), "examples of each set, chosen at random");
  options.choice("part", part, split_names(), "which part to score, of sets that have parts");
  options.choice("by", by, score_names(), score_help());
  options.count(
      "jpeg", jpeg, Range::between(0, 100),
      "re-encode pictures of {against} as JPEG of this quality, if {data} were JPEG; 0: no");
  options.text("label", label, "class to condition all scores on; empty for none");
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
  require_score(model.objective.kind, options.by);
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
  if (sets.front().reference) {
    host.log()->info("{} other examples of {} are the reference of what is typical",
                     sets.front().reference->size(), options.data);
  }
  const Scoring scoring = {field, codec, type, options.by, label, options.batch};
  result.sets = ScoreRun(scoring, sets, host).all();
  if (result.sets.empty()) {
    host.log()->warn("interrupted: nothing is written to {}", options.out);
    result.stopped = true;
    return result;
  }
  result.average = detect_sets(result.sets);
  const std::filesystem::path out = options.out;
  const std::string quantity = quantity_of(options.by, field);
  write_scores(out / "scores.csv", result.sets);
  write_figures(out / "scores.json", options, model_name, quantity, result);
  write_figure(out / "histogram", score_figure(result.sets, quantity),
               {{"Software", software_name()}, {"Model", model_name}, {"Data", options.data}});
  result.files = {"scores.csv", "scores.json", "histogram.png", "histogram.svg"};
  announce(host, out, result.files);
  return result;
}

std::string text_of(const ScoreResult& result) {
  return result.stopped ? "" : score_table(result.sets, result.average);
}

}  // namespace eqm::app
