// eqm encode: pictures as latents on disk, to train on.
#include "eqm/app/encode.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Encode final : public Verb {
 public:
  std::string name() const override { return "encode"; }
  std::string summary() const override {
    return "Turns pictures into latents of an autoencoder, to train on";
  }
  std::string advice() const override {
    return R"(Pictures are cropped around their centre to --size, as ADM's scripts do. What is kept of each is the posterior (mean
and variance), so that training still draws from it at every step, with --flip that of its mirror image, too. The folder
--out gets a folder per part, train or test, with numbered shards and a manifest of their checksums. A run that was
stopped goes on after the last finished shard when it is started again.

`eqm train --data OUT` trains on them; `eqm sample --vae FILE` makes pictures of what it learned.

The autoencoder is not part of eqm: it is the diffusion_pytorch_model.safetensors of sd-vae-ft-ema or sd-vae-ft-mse, from
the pages of stabilityai on the Hugging Face hub.

Examples:
  eqm encode --data imagenet/train --size 256 --flip --vae sd-vae-ft-ema --out latents
  eqm encode --data imagenet/val --part test --size 256 --vae sd-vae-ft-ema --out latents
  eqm encode --check --out latents)";
  }
  std::string positional() const override { return "data"; }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const EncodingResult result = app::run(options_, host);
    if (result.stopped) return exit_code_of(interrupt_requested());
    options_.check ? print_checked(result) : print_encoded(result);
    return 0;
  }

 private:
  static void print_checked(const EncodingResult& result) {
    for (const LatentPart& part : result.parts) {
      std::cout << fmt::format("{:<18} {} of {} shards, whole; latents of {} pictures\n", part.name,
                               part.shards, part.planned_shards, part.pictures);
    }
  }

  static void print_encoded(const EncodingResult& result) {
    const LatentPart& part = result.parts.front();
    std::cout << fmt::format("{:<18} {}\n{:<18} {}\n", "pictures", part.pictures, "shards",
                             part.shards);
    if (result.divergence) {
      std::cout << fmt::format("{:<18} {:.0f} nats a picture\n", "KL divergence",
                               *result.divergence);
    }
  }

  EncodingOptions options_;
};

}  // namespace

std::unique_ptr<Verb> encode_verb() {
  return std::make_unique<Encode>();
}

}  // namespace eqm::cli
