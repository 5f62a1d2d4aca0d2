// eqm bench: what things cost here, as ratios measured in one run.
#include <optional>

#include "cli/bench_kernels.h"
#include "cli/bench_samplers.h"
#include "cli/interrupt.h"
#include "eqm/app/model_lookup.h"
#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

enum class Subject { engine, rules, steps, operators, sweeps, kernels };

const Names<Subject>& subject_names() {
  static const Names<Subject> names = {
      {"engine", Subject::engine}, {"rules", Subject::rules},
      {"steps", Subject::steps},   {"operators", Subject::operators},
      {"sweeps", Subject::sweeps}, {"kernels", Subject::kernels}};
  return names;
}

class Bench final : public Verb {
 public:
  std::string name() const override { return "bench"; }
  std::string summary() const override {
    return "Measures what sampling and training cost on this machine";
  }
  std::string advice() const override {
    return R"(steps: forward passes, training steps and ticks of sampling, ours against the plain LibTorch composition of the
same work, in turn in one process, as medians; with the share of the FMA peak, which is measured between the rounds.
operators: the same for each fused operator; sweeps: over batch, tokens and width; kernels: all three.
engine: the same samples by fixed steps, by a batch that masks rows at rest, and by the engine.
rules: how many evaluations each rule needs for the quality of the paper's 250 steps.
Quality is the Fréchet distance between samples and data in the features of a network (--features): lower is better,
and the floor is what as many real pictures get.

Run it on an idle machine; steps take a minute or two.
In the environment, EQM_KERNELS=plain takes LibTorch's operators for ours, EQM_KERNELS=AVX2 that instruction set.

Examples:
  eqm bench steps
  eqm bench sweeps --out out/sweeps --json out/sweeps.json
  eqm bench engine
  eqm bench rules --samples 1000 --json rules.json)";
  }
  std::string positional() const override { return "subject"; }

  void declare(OptionSet& options) override {
    options.choice("subject", subject_, subject_names(), "what to measure");
    options.text("json", json_, "also writes the figures to this file");
    options.section("kernels");
    kernels_.declare(options);
    options.section("samplers");
    samplers_.declare(options);
    runtime_.declare(options);
  }

  int run(const OptionSet& options, Host& host) override {
    const bool kernels = subject_ != Subject::engine && subject_ != Subject::rules;
    if (kernels && runtime_.precision != "float32") {
      throw Error(ErrorKind::usage, "kernels are measured in float32, the only numbers they serve",
                  "leave --precision away");
    }
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    std::optional<AtomicFile> file;  // a bad place is refused before anything is measured
    if (!json_.empty()) file.emplace(json_);
    host.begin_stoppable_work();
    const std::string subject = name_in(subject_names(), subject_);
    for (const Option& option : options.options()) {
      if (option.section == (kernels ? "samplers" : "kernels") && option.get() != option.standard) {
        host.log()->warn("{} does nothing with --{}", subject, option.name);
      }
    }
    const std::string figures =
        kernels ? bench_kernels(kernels_, subject, host) : bench_samplers(type, host);
    if (host.stop_requested()) return exit_code_of(interrupt_requested());
    if (file) {
      file->write(figures);
      file->commit();
      host.log()->info("wrote the figures to {}", json_);
    }
    return 0;
  }

 private:
  std::string bench_samplers(const torch::TensorOptions& type, Host& host) const {
    const LearnedField field(load_for(samplers_.model, type));
    const FeatureNetPtr network = load_features(samplers_.comparison, type);
    require_fitting(*network, field.model(), field.model().scaling);
    const QualityMeter meter(network, samplers_.comparison, host);
    warn_of_few("samples", samplers_.samples, network->feature_count(), host);
    return subject_ == Subject::engine ? bench_engine(samplers_, field, meter, host)
                                       : bench_rules(samplers_, field, meter, host);
  }

  Subject subject_ = Subject::steps;
  KernelBench kernels_;
  SamplerBench samplers_;
  std::string json_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> bench_verb() {
  return std::make_unique<Bench>();
}

}  // namespace eqm::cli
