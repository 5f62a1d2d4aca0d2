// eqm import: weights of the reference implementation, of SiT, or of Flow Matching's U-Net, as a
// model file of ours.
#include "eqm/app/import.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/backbone/architecture_text.h"

namespace eqm::cli {
namespace {

class Import final : public Verb {
 public:
  std::string name() const override { return "import"; }
  std::string summary() const override {
    return "Makes a model of a PyTorch checkpoint of EqM, SiT or a U-Net, or of safetensors";
  }
  std::string advice() const override {
    return R"(Reads checkpoints of torch.save, training checkpoints (model, ema, opt, args) and bare state dictionaries, and
safetensors under the same names. Nothing in a checkpoint is run. The architecture follows from the shapes; heads are
those of the preset of that width. What the checkpoint's arguments say about the objective is believed; a bare state
dictionary is taken for EqM, so give --objective fm for SiT. The U-Net of Flow Matching is taken for fm.

Examples:
  eqm import EqM-XL-2.pt --out eqm-xl2.safetensors
  eqm import EqM-XL-2.pt --class-names imagenet-classes.txt --out eqm-xl2.safetensors
  eqm import unet.pt --heads 1 --size 32 --out unet.safetensors)";
  }
  std::string positional() const override { return "from"; }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    print(app::run(options_, host).report);
    return 0;
  }

 private:
  static void line(const std::string& topic, const std::string& text) {
    std::cout << fmt::format("{:<14} {}\n", topic, text);
  }

  static void print(const ImportReport& report) {
    line("weights",
         fmt::format("{}, {} tensors, {:.1f} MB", report.chosen.empty() ? "all" : report.chosen,
                     report.tensors, static_cast<double>(report.bytes) / 1e6));
    line("architecture", architecture_text(report.architecture));
    line("objective", name_of(report.objective.kind));
    if (!report.class_names.empty()) {
      line("classes", fmt::format("{}, from {} to {}", report.class_names.size(),
                                  report.class_names.front(), report.class_names.back()));
    }
  }

  ModelImportOptions options_;
};

}  // namespace

std::unique_ptr<Verb> import_verb() {
  return std::make_unique<Import>();
}

}  // namespace eqm::cli
