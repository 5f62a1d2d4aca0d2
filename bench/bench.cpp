#include "bench/bench.h"

#include <optional>

#include "eqm/app/model_lookup.h"
#include "eqm/base/error.h"
#include "eqm/io/atomic_file.h"

namespace eqm::bench {
namespace {

const Names<Subject>& subject_names() {
  static const Names<Subject> names = {
      {"engine", Subject::engine}, {"rules", Subject::rules},
      {"steps", Subject::steps},   {"operators", Subject::operators},
      {"sweeps", Subject::sweeps}, {"kernels", Subject::kernels}};
  return names;
}

bool is_of_kernels(Subject subject) {
  return subject != Subject::engine && subject != Subject::rules;
}

void warn_of_others_options(BenchOptions given, const std::string& subject, Logger& log) {
  const char* others = is_of_kernels(given.subject) ? "samplers" : "kernels";
  BenchOptions standard;
  OptionSet given_set, standard_set;
  given.declare(given_set);
  standard.declare(standard_set);
  for (const Option& option : given_set.options()) {
    if (option.section == others && option.get() != standard_set.find(option.name)->get()) {
      log.warn("{} does nothing with {{{}}}", subject, option.name);
    }
  }
}

std::string bench_samplers(const BenchOptions& options, const torch::TensorOptions& type,
                           app::Host& host, const TableSink& print) {
  const SamplerBench& samplers = options.samplers;
  const LearnedField field(app::load_for(samplers.model, type));
  const FeatureNetPtr network = app::load_features(samplers.comparison, type);
  app::require_fitting(*network, field.model(), field.model().scaling);
  const app::QualityMeter meter(network, samplers.comparison, host);
  app::warn_of_few("samples", samplers.samples, network->feature_count(), host);
  return options.subject == Subject::engine ? compare_engine(samplers, field, meter, host, print)
                                            : compare_rules(samplers, field, meter, host, print);
}

}  // namespace

void BenchOptions::declare(OptionSet& options) {
  options.choice("subject", subject, subject_names(), "what to measure");
  options.text("json", json, "also writes the figures to this file");
  options.section("kernels");
  kernels.declare(options);
  options.section("samplers");
  samplers.declare(options);
  runtime.declare(options);
}

BenchResult run(const BenchOptions& options, app::Host& host, const TableSink& print) {
  const bool kernels = is_of_kernels(options.subject);
  if (kernels && options.runtime.precision != "float32") {
    throw Error(ErrorKind::usage, "kernels are measured in float32, the only numbers they serve",
                "omit {precision}");
  }
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  std::optional<AtomicFile> file;  // a bad place is refused before anything is measured
  if (!options.json.empty()) file.emplace(options.json);
  host.begin_stoppable_work();
  const std::string subject = name_in(subject_names(), options.subject);
  warn_of_others_options(options, subject, *host.log());
  BenchResult result;
  result.figures = kernels ? bench_kernels(options.kernels, subject, host, print)
                           : bench_samplers(options, runtime.tensors(), host, print);
  result.stopped = host.stop_requested();
  if (file && !result.stopped) {
    file->write(result.figures);
    file->commit();
    host.log()->info("wrote the figures to {}", options.json);
  }
  return result;
}

}  // namespace eqm::bench
