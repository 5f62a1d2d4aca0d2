// eqm encode: pictures as latents on disk, to train on.
#include "eqm/app/encode.h"

#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"

namespace eqm::cli {
namespace {

void print_checked(const EncodingResult& result) {
  for (const LatentPart& part : result.parts) {
    std::cout << fmt::format("{:<18} {} of {} shards, whole; latents of {} pictures\n", part.name,
                             part.shards, part.planned_shards, part.pictures);
  }
}

void print_encoded(const EncodingResult& result) {
  const LatentPart& part = result.parts.front();
  std::cout << fmt::format("{:<18} {}\n{:<18} {}\n", "pictures", part.pictures, "shards",
                           part.shards);
  if (result.divergence) {
    std::cout << fmt::format("{:<18} {:.0f} nats a picture\n", "KL divergence", *result.divergence);
  }
}

}  // namespace

std::unique_ptr<Verb> encode_verb() {
  return verb_of<EncodingOptions>(use_named("encode"),
                                  [](const EncodingOptions& options, Host& host) {
                                    const EncodingResult result = app::run(options, host);
                                    if (!result.stopped)
                                      options.check ? print_checked(result) : print_encoded(result);
                                    return result.stopped;
                                  });
}

}  // namespace eqm::cli
