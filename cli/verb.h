// A verb of the program: its options, and what it does with them. One file per verb.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/base/options.h"

namespace eqm::cli {

using namespace app;  // a verb is how the terminal asks for a use

class Verb {
 public:
  virtual ~Verb() = default;
  virtual std::string name() const = 0;
  virtual std::string summary() const = 0;           // one line for `eqm --help`
  virtual std::string advice() const { return ""; }  // what matters, examples: the end of --help
  virtual void declare(OptionSet& options) = 0;
  // The option that may be given without its flag; empty for none.
  virtual std::string positional() const { return ""; }
  // What the flag for a TOML file of options is called.
  virtual std::string config_flag() const { return "config"; }
  // The file that is meant by the value of that flag.
  virtual std::string config_file(const std::string& given) const { return given; }
  // A TOML file to read before anything else, from the flags as they were given; empty for none.
  virtual std::string saved_config(const std::map<std::string, std::string>&) const { return ""; }
  // Asked when files of options have been read, before the flags `given` are: for rules on which of
  // them counts. May refuse.
  virtual void before_flags(const std::map<std::string, std::string>& /*given*/) {}
  // Answers the exit code.
  virtual int run(const OptionSet& options, Host& host) = 0;
};

// All verbs, in the order of `eqm --help`.
std::vector<std::unique_ptr<Verb>> all_verbs();

std::unique_ptr<Verb> landscape_verb();
std::unique_ptr<Verb> encode_verb();
std::unique_ptr<Verb> train_verb();
std::unique_ptr<Verb> sample_verb();
std::unique_ptr<Verb> denoise_verb();
std::unique_ptr<Verb> score_verb();
std::unique_ptr<Verb> neighbours_verb();
std::unique_ptr<Verb> info_verb();
std::unique_ptr<Verb> import_verb();
std::unique_ptr<Verb> export_verb();
std::unique_ptr<Verb> evaluate_verb();
std::unique_ptr<Verb> sweep_verb();
std::unique_ptr<Verb> bench_verb();
std::unique_ptr<Verb> doctor_verb();
std::unique_ptr<Verb> list_verb();
std::unique_ptr<Verb> completion_verb();
std::unique_ptr<Verb> man_verb();

}  // namespace eqm::cli
