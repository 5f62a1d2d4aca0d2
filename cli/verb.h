// A verb of the program: a use, and what the terminal prints of its result. One file per verb.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/app/host.h"
#include "eqm/app/uses.h"

namespace eqm::cli {

using namespace app;  // a verb is how the terminal asks for a use

class Verb {
 public:
  explicit Verb(Use use) : use_(std::move(use)) {}
  virtual ~Verb() = default;
  Verb(const Verb&) = delete;
  Verb& operator=(const Verb&) = delete;

  const Use& use() const { return use_; }
  const std::string& name() const { return use_.name; }
  OptionSet& options() { return options_; }
  const OptionSet& options() const { return options_; }

  // The file that is meant by the value of the flag for a TOML file of options.
  virtual std::string config_file(const std::string& given) const { return given; }
  // A TOML file to read before anything else, from the flags as they were given; empty for none.
  virtual std::string saved_config(const std::map<std::string, std::string>&) const { return ""; }
  // Asked when files of options have been read, before the flags `given` are: for rules on which of
  // them counts. May refuse.
  virtual void before_flags(const std::map<std::string, std::string>& /*given*/) {}
  // Runs the use and prints its result; answers whether it was stopped before its end.
  virtual bool run(Host& host) = 0;

 protected:
  Use use_;
  OptionSet options_;
};

// A verb that owns the options of its use.
template <class Options>
class UseVerb : public Verb {
 public:
  // Runs the use, prints, and answers whether it was stopped.
  using Run = bool (*)(const Options&, Host&);

  UseVerb(Use use, Run act) : Verb(std::move(use)), run_(act) { values_.declare(options_); }
  bool run(Host& host) override { return run_(values_, host); }

 protected:
  Options values_;
  Run run_;
};

template <class Options>
std::unique_ptr<Verb> verb_of(Use use, bool (*run)(const Options&, Host&)) {
  return std::make_unique<UseVerb<Options>>(std::move(use), run);
}

using Verbs = std::vector<std::unique_ptr<Verb>>;

// All verbs, in the order of `eqm --help`.
Verbs all_verbs();

std::unique_ptr<Verb> landscape_verb();
std::unique_ptr<Verb> encode_verb();
std::unique_ptr<Verb> train_verb();
std::unique_ptr<Verb> sample_verb();
std::unique_ptr<Verb> denoise_verb();
std::unique_ptr<Verb> inpaint_verb();
std::unique_ptr<Verb> interpolate_verb();
std::unique_ptr<Verb> likelihood_verb();
std::unique_ptr<Verb> score_verb();
std::unique_ptr<Verb> neighbours_verb();
std::unique_ptr<Verb> info_verb();
std::unique_ptr<Verb> import_verb();
std::unique_ptr<Verb> export_verb();
std::unique_ptr<Verb> evaluate_verb();
std::unique_ptr<Verb> sweep_verb();
std::unique_ptr<Verb> reproduce_verb();
std::unique_ptr<Verb> bench_verb();
std::unique_ptr<Verb> doctor_verb();
std::unique_ptr<Verb> list_verb();
std::unique_ptr<Verb> completion_verb();
std::unique_ptr<Verb> man_verb();

}  // namespace eqm::cli
