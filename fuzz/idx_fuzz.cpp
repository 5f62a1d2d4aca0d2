#include "eqm/io/idx.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  for (const size_t rank : {size_t{1}, size_t{3}}) {
    try {
      parse_idx({bytes.begin(), bytes.end()}, rank, "fuzzed");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
    }
  }
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
