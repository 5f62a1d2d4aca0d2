// eqm train: trains a model and never loses work.
#include "eqm/app/train.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/app/shipped.h"
#include "eqm/app/training_layers.h"
#include "eqm/base/shell_word.h"

namespace eqm::cli {
namespace {

void print_fact(const char* topic, const std::string& text) {
  std::cout << fmt::format("{:<16} {}\n", topic, text);
}

std::string next_command(const TrainingResult& result, const TrainingOptions& options) {
  const std::string out = shell_word(options.out), &vae = options.training.codec.vae;
  if (!result.summary.finished) return "stopped; go on with: eqm train --resume --out " + out;
  if (is_classifier(options.training.objective.kind)) {
    return fmt::format("next: eqm evaluate --features {} --pictures PATH", out);
  }
  return fmt::format("next: eqm sample --model {}{} --out {}", out,
                     vae.empty() ? "" : " --vae " + shell_word(vae),
                     shell_word(options.out + "/drawn"));
}

void print_result(const TrainingResult& result, const TrainingOptions& options) {
  const RunSummary& summary = result.summary;
  print_fact("steps", fmt::format("{} of {} ({:.2f} epochs)", summary.steps, summary.planned,
                                  summary.epochs));
  if (summary.loss.steps > 0) print_fact("loss", summary.loss.text());
  if (summary.held_out_loss) {
    print_fact("held-out loss", fmt::format("{:.4g}  (averaged weights)", *summary.held_out_loss));
  }
  if (summary.held_out_accuracy) {
    print_fact("accuracy", fmt::format("{:.2f} %", 100 * *summary.held_out_accuracy));
  }
  print_fact("time", fmt::format("{}, {:.1f} images/s, {:.1f} % of it waiting for data",
                                 duration_text(summary.seconds), summary.images_per_second,
                                 100 * summary.data_share));
  if (summary.skipped > 0)
    print_fact("skipped", fmt::format("{} damaged examples", summary.skipped));
  print_fact("model", result.model);
  std::cout << next_command(result, options) << "\n";
}

class Train final : public UseVerb<TrainingOptions> {
 public:
  Train() : UseVerb(use_named("train"), run_and_print) {}

  std::string config_file(const std::string& given) const override {
    return find_shipped(ShippedKind::recipe, given).string();
  }
  std::string saved_config(const std::map<std::string, std::string>& given) const override {
    return record_to_resume(values_, given);
  }
  void before_flags(const std::map<std::string, std::string>& given) override {
    choose_duration(values_, given);
  }

 private:
  static bool run_and_print(const TrainingOptions& options, Host& host) {
    const TrainingResult result = app::run(options, host);
    print_result(result, options);
    return result.stopped;
  }
};

}  // namespace

std::unique_ptr<Verb> train_verb() {
  return std::make_unique<Train>();
}

}  // namespace eqm::cli
