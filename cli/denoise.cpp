// eqm denoise: descends from images that are noise in part.
#include "eqm/app/denoise.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Denoise final : public Verb {
 public:
  std::string name() const override { return "denoise"; }
  std::string summary() const override { return "Descends from partially noised images"; }
  std::string advice() const override {
    return R"(The model is told no noise level: it descends from wherever the image is. With --gamma the images are noised
here first (0 is pure noise, 1 leaves them alone), and the result is compared with the original; with --gamma 1
they are taken as they are, for images that are noisy already. The folders denoised/, noised/ and original/ (before/
and after/ with --gamma 1) hold the pictures by number; denoise.csv says where each comes from.

Examples:
  eqm denoise --model models/fashion-xs4.safetensors --data fashion-mnist --gamma 0.6
  eqm denoise --model runs/mine --data my-noisy-images --gamma 1 --label null)";
  }
  std::string positional() const override { return "model"; }
  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const DenoiseResult result = app::run(options_, host);
    if (result.done > 0) {
      std::cout << fmt::format("{:<18} {}\n{:<18} {:.1f}\n", "images", result.done, "mean steps",
                               result.mean_steps);
    }
    if (result.psnr) {
      std::cout << fmt::format("{:<18} {:.2f} dB noised, {:.2f} dB denoised\n", "PSNR",
                               result.psnr->before, result.psnr->after);
    }
    return result.stopped ? exit_code_of(interrupt_requested()) : 0;
  }

 private:
  DenoiseOptions options_;
};

}  // namespace

std::unique_ptr<Verb> denoise_verb() {
  return std::make_unique<Denoise>();
}

}  // namespace eqm::cli
