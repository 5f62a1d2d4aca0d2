// eqm score: tells data of the model's kind from others by its landscape.
#include "eqm/app/score.h"

#include <iostream>

#include "cli/interrupt.h"
#include "cli/verb.h"

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
  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const ScoreResult result = app::run(options_, host);
    if (result.stopped) return exit_code_of(interrupt_requested());
    std::cout << score_table(result.sets);
    return 0;
  }

 private:
  ScoreOptions options_;
};

}  // namespace

std::unique_ptr<Verb> score_verb() {
  return std::make_unique<Score>();
}

}  // namespace eqm::cli
