// eqm info: what a file or folder is.
#include <iostream>

#include <fmt/format.h>

#include "cli/describe_any.h"
#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/io/printable.h"

namespace eqm::cli {
namespace {

class Info final : public Verb {
 public:
  std::string name() const override { return "info"; }
  std::string summary() const override {
    return "Describes a model, a run, data, or any other file that eqm reads or writes";
  }
  std::string advice() const override {
    return R"(The format is detected from the contents: models, runs and checkpoints; data sets by path or name, folders of
latents; folders of results that eqm wrote; pictures with the texts in them, .npz of arrays or statistics, PyTorch and
safetensors files, files of options, tables, lines of JSON, SVG figures and TensorBoard events.

Examples:
  eqm info fashion-xs4
  eqm info runs/fashion
  eqm info EqM-XL-2.pt
  eqm info out/samples/grid.png)";
  }
  std::string positional() const override { return "path"; }
  void declare(OptionSet& options) override {
    options.text("path", path_, "a file, a folder, or the name of a model, a recipe or a data set");
  }

  int run(const OptionSet&, Host&) override {
    if (path_.empty()) {
      throw Error(ErrorKind::usage, "nothing to describe was given", "use `eqm info PATH`");
    }
    for (const auto& [topic, text] : describe_any(path_)) {
      std::cout << fmt::format("{:<14} {}\n", printable(topic), printable(text));
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
