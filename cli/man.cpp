// eqm man: the manual page, from the declared options.
#include <iostream>

#include "cli/manual_page.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Man final : public Verb {
 public:
  std::string name() const override { return "man"; }
  std::string summary() const override { return "Writes the manual page"; }
  std::string advice() const override {
    return "An installation has it in its place: man eqm. Without one:\n"
           "  eqm man > eqm.1; man ./eqm.1";
  }
  void declare(OptionSet&) override {}

  int run(const OptionSet&, Host&) override {
    std::cout << manual_page(program_outline());
    return 0;
  }
};

}  // namespace

std::unique_ptr<Verb> man_verb() {
  return std::make_unique<Man>();
}

}  // namespace eqm::cli
