// A verb of the program: its options, and what it does with them. One file per verb.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "eqm/base/log.h"
#include "eqm/base/options.h"
#include "eqm/base/progress.h"

namespace eqm::cli {

// What the program hands to every verb.
struct Console {
  Logger& log;
  Progress& progress;
};

class Verb {
 public:
  virtual ~Verb() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;           // one line for `eqm --help`
  virtual std::string advice() const { return ""; }  // what matters, examples: the end of --help
  virtual void declare(OptionSet& options) = 0;
  virtual void run(const OptionSet& options, Console& console) = 0;
};

std::unique_ptr<Verb> landscape_verb();
std::unique_ptr<Verb> doctor_verb();

}  // namespace eqm::cli
