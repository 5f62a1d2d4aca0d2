// eqm neighbours: the training images nearest to pictures, to see whether a model only remembers.
#include "eqm/app/neighbours.h"

#include <iostream>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Neighbours final : public Verb {
 public:
  std::string name() const override { return "neighbours"; }
  std::string summary() const override {
    return "Finds the training images nearest to pictures, such as a model's samples";
  }
  std::string advice() const override {
    return R"(Distances are mean squared differences of pixels scaled to [-1, 1]: 0 is the same
picture. What is near depends on the data: name a set with a test part as --pictures to see how far
real pictures lie from the training images. The data are read once, batch by batch, and never held
in memory.

Examples:
  eqm neighbours --pictures out/samples/pictures --data fashion-mnist
  eqm neighbours --pictures fashion-mnist --data fashion-mnist --out out/real)";
  }
  std::string positional() const override { return "pictures"; }
  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const NeighbourResult result = app::run(options_, host);
    if (result.stopped) return exit_code_of(interrupt_requested());
    std::cout << neighbour_table(result.findings);
    return 0;
  }

 private:
  NeighbourOptions options_;
};

}  // namespace

std::unique_ptr<Verb> neighbours_verb() {
  return std::make_unique<Neighbours>();
}

}  // namespace eqm::cli
