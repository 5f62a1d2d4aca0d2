// eqm export: a model as one file of its own, in the precision asked for, for us or for PyTorch.
#include "eqm/app/export.h"

#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Export final : public Verb {
 public:
  std::string name() const override { return "export"; }
  std::string summary() const override {
    return "Writes the model of a run or checkpoint as one file";
  }
  std::string advice() const override {
    return R"(float16 halves the file. Of 40 samples of the shipped model no pixel moved by more than one of 256 levels.
--for reference gives the network the sign of the reference implementation, whose PyTorch module then loads the file by
name (docs/interop.md shows how); it stays a model file that every verb of eqm takes. --out FILE.pt writes what torch.save
would: a state dictionary that torch.load takes with weights_only; `eqm import` makes the same model of it again.

Examples:
  eqm export --model runs/fashion --stored float16 --out fashion.safetensors
  eqm export --model runs/fashion --for reference --out fashion.pt)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    app::run(options_, host);
    return 0;
  }

 private:
  ModelExportOptions options_;
};

}  // namespace

std::unique_ptr<Verb> export_verb() {
  return std::make_unique<Export>();
}

}  // namespace eqm::cli
