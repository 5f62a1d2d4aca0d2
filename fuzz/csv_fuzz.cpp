#include "eqm/io/csv.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  parse_csv(text, "fuzzed", std::nullopt);
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
