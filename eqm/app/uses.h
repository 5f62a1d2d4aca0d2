// The table of uses: what each is called, a line about it, and its options. Doors list, complete
// and describe from it, and add rows of their own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/base/options.h"

namespace eqm::app {

struct Use {
  std::string name;     // "sample"
  std::string summary;  // one line
  // The option that it is about, which a door may take without its name; empty for none.
  std::string subject = {};
  // The key by which a door takes a file of its options.
  std::string file_key = "config";
  // Declares options with their defaults. The answer owns them: it must outlive the set.
  std::function<std::shared_ptr<void>(OptionSet&)> declare;
};

// A row whose options are an `Options` of its own for each declaration.
template <class Options>
Use use_of(const std::string& name, const std::string& summary, const std::string& subject = {}) {
  const auto declare = [](OptionSet& set) -> std::shared_ptr<void> {
    const auto options = std::make_shared<Options>();
    options->declare(set);
    return options;
  };
  return {.name = name, .summary = summary, .subject = subject, .declare = declare};
}

// All uses of the library, in the order in which they are best read.
const std::vector<Use>& uses();

// Kind internal for other names.
const Use& use_named(std::string_view name);

}  // namespace eqm::app
