// eqm list: what there is to choose from, a line each.
#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/outline.h"
#include "cli/verb.h"
#include "eqm/app/catalogue.h"
#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/base/option_keys.h"
#include "eqm/io/text.h"

namespace eqm::cli {
namespace {

class List final : public Verb {
 public:
  std::string name() const override { return "list"; }
  std::string summary() const override {
    return "Lists rules, presets, objectives, recipes, models or data sets";
  }
  std::string advice() const override {
    return "Examples:\n  eqm list\n  eqm list rules\n  eqm list recipes";
  }
  std::string positional() const override { return "topic"; }
  void declare(OptionSet& options) override {
    options.text("topic", topic_,
                 "rules, presets, objectives, recipes, models or data; empty for these");
  }

  int run(const OptionSet&, Host&) override {
    const std::vector<CatalogueEntry>& topics = catalogue_topics();
    if (topic_.empty()) {
      print(topics);
      return 0;
    }
    const std::vector<std::string> names = names_of(topics);
    if (std::ranges::find(names, topic_) == names.end()) {
      throw Error(ErrorKind::usage, "there is no list of " + in_quotes(topic_),
                  suggestion(topic_, names));
    }
    print(catalogue_of(topic_));
    return 0;
  }

 private:
  static void print(const std::vector<CatalogueEntry>& entries) {
    size_t width = 0;
    for (const CatalogueEntry& entry : entries) width = std::max(width, entry.name.size());
    for (const CatalogueEntry& entry : entries) {
      std::cout << fmt::format("{:<{}}  {}\n", entry.name, width, render_keys(entry.help, as_flag));
    }
  }

  std::string topic_;
};

}  // namespace

std::unique_ptr<Verb> list_verb() {
  return std::make_unique<List>();
}

}  // namespace eqm::cli
