// eqm info: what a run, a checkpoint or a model is.
#include <iostream>

#include <fmt/format.h>

#include "cli/shipped.h"
#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/train/describe.h"

namespace eqm::cli {
namespace {

class Info final : public Verb {
 public:
  std::string name() const override { return "info"; }
  std::string summary() const override { return "Describes a run, a checkpoint or a model"; }
  std::string advice() const override { return "Example:\n  eqm info runs/fashion"; }
  std::string positional() const override { return "path"; }
  void declare(OptionSet& options) override {
    options.text("path", path_, "a run folder, a checkpoint or a model file");
  }

  int run(const OptionSet&, Console&) override {
    if (path_.empty()) {
      throw Error(ErrorKind::usage, "nothing to describe was given", "use `eqm info PATH`");
    }
    for (const auto& [topic, text] : describe(find_shipped(ShippedKind::model, path_))) {
      std::cout << fmt::format("{:<14} {}\n", topic, text);
    }
    return 0;
  }

 private:
  std::string path_;
};

}  // namespace

std::unique_ptr<Verb> info_verb() {
  return std::make_unique<Info>();
}

}  // namespace eqm::cli
