// eqm completion: a script that completes the command line, from the declared options.
#include <iostream>

#include "cli/completion_scripts.h"
#include "cli/verb.h"
#include "eqm/base/error.h"

namespace eqm::cli {
namespace {

using Writer = std::string (*)(const std::vector<VerbOutline>&);

const Names<Writer>& shells() {
  static const Names<Writer> names = {
      {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};
  return names;
}

class Completion final : public Verb {
 public:
  std::string name() const override { return "completion"; }
  std::string summary() const override {
    return "Writes a completion script for bash, zsh or fish";
  }
  std::string advice() const override {
    return R"(An installation has these scripts in their places already. For a program that is not installed:
  source <(eqm completion bash)                                        # in ~/.bashrc
  eqm completion zsh > ~/.zfunc/_eqm                                    # a folder of $fpath
  eqm completion fish > ~/.config/fish/completions/eqm.fish)";
  }
  std::string positional() const override { return "shell"; }
  void declare(OptionSet& options) override {
    options.choice("shell", writer_, shells(), "whose completion");
  }

  int run(const OptionSet&, Host&) override {
    std::cout << writer_(program_outline());
    return 0;
  }

 private:
  Writer writer_ = bash_completion;
};

}  // namespace

std::unique_ptr<Verb> completion_verb() {
  return std::make_unique<Completion>();
}

}  // namespace eqm::cli
