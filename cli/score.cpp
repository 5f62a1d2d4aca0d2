// eqm score: tells data of the model's kind from others by its landscape.
#include "eqm/descend/score.h"

#include <cmath>
#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/app/figure_file.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/score_output.h"
#include "eqm/app/score_sets.h"
#include "eqm/base/error.h"
#include "eqm/base/memory.h"
#include "eqm/base/version.h"
#include "eqm/codec/options.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/descend/evaluation.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

class Score final : public Verb {
 public:
  std::string name() const override { return "score"; }
  std::string summary() const override {
    return "Scores how far sets of data are out of a model's distribution";
  }
  std::string advice() const override {
    return R"(The score of an example is the energy of a model that has one (eqm-dot, eqm-l2), else
the norm of the gradient at the clean example: data rest, other things are pulled. The AUROC is the
chance that an example of a set scores higher than one of --data: 1 tells all apart, 0.5 none, and
below 0.5 the set is more at rest than the data, as plainer pictures can be. Test parts are scored
where there are any, because training examples may rest better than new ones.

Examples:
  eqm score --model models/fashion-xs4.safetensors --data fashion-mnist --against "mnist,noise"
  eqm score --model runs/mine --data photos --against "other/photos,noise" --count 2000)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override {
    options.text("model", model_, "a model file, a run folder or a checkpoint");
    options.text("data", data_, "the set the model should know, by name or path");
    options.text("against", against_,
                 "sets to compare with, with commas; constant and noise are made on the spot");
    options.count("count", sets_.count, Range::between(1, 1e6),
                  "examples of each set, chosen at random");
    options.choice("part", sets_.split, split_names(), "the part of sets that have parts");
    options.text("label", label_, "a class to score all sets under; empty for none");
    options.count("batch", batch_, Range::between(1, 100000), "examples computed at once");
    options.text("out", out_, "folder for the scores and their histogram");
    codec_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const Model model = load_for(model_, type);
    if (data_.empty()) throw Error(ErrorKind::usage, "no data were given", "use --data SET");
    require_score(model.objective.kind);
    const LearnedField field(model);
    const Codec codec = codec_.codec_of(model, type);
    sets_.log = host.log();
    const std::vector<ScoreSet> sets = open_sets(model, codec);
    const int64_t label = label_.empty() ? kNullClass : label_of(model, label_);
    check_terms(field, only(label));
    require_memory(static_cast<double>(batch_) * static_cast<double>(type.dtype().itemsize()) *
                       field.activation_floats_per_row(),
                   "lower --batch");
    const OutputFolder folder(out_);
    const std::vector<ScoredSet> scored =
        score_all(field, codec, sets, label, type, host.progress());
    write(scored, score_name(field));
    std::cout << score_table(scored);
    host.log()->info("wrote scores.csv, histogram.png and histogram.svg to {}", out_);
    return 0;
  }

 private:
  std::vector<ScoreSet> open_sets(const Model& model, const Codec& codec) const {
    std::vector<ScoreSet> sets = {open_score_set(data_, model, codec, sets_)};
    for (const std::string& name : names_in(against_)) {
      sets.push_back(open_score_set(name, model, codec, sets_));
    }
    return sets;
  }

  std::vector<ScoredSet> score_all(const LearnedField& field, const Codec& codec,
                                   const std::vector<ScoreSet>& sets, int64_t label,
                                   const torch::TensorOptions& type, Progress& progress) const {
    int64_t total = 0, done = 0;
    for (const ScoreSet& set : sets) total += set.source->size();
    progress.begin("scoring", total, "examples");
    std::vector<ScoredSet> scored;
    for (const ScoreSet& set : sets) {
      ScoredSet& result = scored.emplace_back(ScoredSet{set.name, set.indices, {}});
      const int64_t size = set.source->size();
      for (int64_t first = 0; first < size; first += batch_) {
        const Batch batch = read_batch(*set.source, first, std::min(batch_, size - first));
        append(result.scores, scores(field, states_of(batch, codec, type),
                                     {.labels = repeated(label, batch.shape.front()), .time = {}}));
        done += batch.shape.front();
        progress.update(done, set.name);
      }
      require_finite(result, *set.source);
    }
    progress.end();
    return scored;
  }

  static Tensor repeated(int64_t label, int64_t count) {
    return label == kNullClass ? Tensor() : torch::full({count}, label, torch::kInt64);
  }

  static void append(std::vector<double>& all, const Tensor& some) {
    const double* values = some.data_ptr<double>();
    all.insert(all.end(), values, values + some.numel());
  }

  static void require_finite(const ScoredSet& set, const Source& source) {
    for (size_t i = 0; i < set.scores.size(); ++i) {
      if (std::isfinite(set.scores[i])) continue;
      throw Error(ErrorKind::numeric,
                  fmt::format("the score of {} is {}", source.name_of(static_cast<int64_t>(i)),
                              set.scores[i]),
                  "is the model trained, and are the data in the range it knows?");
    }
  }

  void write(const std::vector<ScoredSet>& scored, const std::string& score) const {
    const std::filesystem::path folder = out_;
    write_scores(folder / "scores.csv", scored);
    write_figure(folder / "histogram", score_figure(scored, score),
                 {{"Software", software_name()}, {"Model", model_}, {"Data", data_}});
  }

  std::string model_, data_, against_ = "constant,noise", label_, out_ = "out/score";
  ScoreSetOptions sets_;
  int64_t batch_ = 64;
  CodecOptions codec_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> score_verb() {
  return std::make_unique<Score>();
}

}  // namespace eqm::cli
