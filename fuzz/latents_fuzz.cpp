#include "eqm/data/latent_manifest.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const LatentManifest manifest = parse_latent_manifest(text, "fuzzed");
  manifest.complete();
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
