#include "eqm/io/zip_reader.h"
#include "eqm/io/zip_stream.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

void parse(std::span<const std::byte> bytes) {
  const ZipFile zip = ZipFile::parse(bytes, "fuzzed");
  for (const ZipEntry& entry : zip.entries()) touch(read_entry(entry, zip.source(), 1 << 20));
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
