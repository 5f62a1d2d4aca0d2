#include "eqm/io/npz.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  // The header alone first: a checksum guards the one inside a zip from most changes.
  try {
    parse_npy_header(bytes, "fuzzed");
  } catch (const Error&) {
    // Most inputs are zips, not arrays.
  }
  const NpzFile file = NpzFile::parse(bytes, "fuzzed");
  for (const std::string& name : file.names()) touch(file.read(name, 1 << 20).bytes);
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
