// eqm bench: what things cost here, as ratios measured in one run.
#include <iostream>

#include "cli/bench_samplers.h"
#include "cli/interrupt.h"
#include "cli/load.h"
#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

enum class Subject { engine, rules };

const Names<Subject>& subject_names() {
  static const Names<Subject> names = {{"engine", Subject::engine}, {"rules", Subject::rules}};
  return names;
}

class Bench final : public Verb {
 public:
  std::string name() const override { return "bench"; }
  std::string summary() const override {
    return "Measures the engine and the update rules on a model: seconds, evaluations, quality";
  }
  std::string advice() const override {
    return R"(engine: the same samples by fixed steps, by a batch that masks rows at rest, and by the engine.
rules: how many evaluations each rule needs for the quality of the paper's 250 steps.
Quality is the Fréchet distance between samples and data in the features of a classifier (--judge): lower is better,
and the floor is what as many real pictures get. Run it on an idle machine.

Examples:
  eqm bench engine
  eqm bench rules --samples 1000 --json rules.json)";
  }
  std::string positional() const override { return "subject"; }

  void declare(OptionSet& options) override {
    options.choice("subject", subject_, subject_names(), "what to measure");
    samplers_.declare(options);
    options.text("json", json_, "also writes the figures to this file");
    runtime_.declare(options);
  }

  int run(const OptionSet&, Console& console) override {
    const torch::TensorOptions type = start_runtime(runtime_);
    const LearnedField field(load_for(samplers_.model, type));
    catch_interrupts();
    QualityMeter meter(Judge(load_for(samplers_.judge, type)), samplers_.data, samplers_.reference);
    meter.require_fitting(field.model());
    const std::string figures = subject_ == Subject::engine
                                    ? bench_engine(samplers_, field, meter, console)
                                    : bench_rules(samplers_, field, meter, console);
    if (interrupt_requested() != 0) return exit_code_of(interrupt_requested());
    if (!json_.empty()) write_file(json_, figures);
    return 0;
  }

 private:
  Subject subject_ = Subject::engine;
  SamplerBench samplers_;
  std::string json_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> bench_verb() {
  return std::make_unique<Bench>();
}

}  // namespace eqm::cli
