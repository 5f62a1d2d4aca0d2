#include "eqm/io/gzip.h"
#include "eqm/io/tar_reader.h"
#include "fuzz/target.h"

namespace eqm::fuzz {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 24;

// As a gzipped IDX file is read: so much at a time and no more than wanted.
void unpack(std::span<const std::byte> bytes) {
  GzipStream stream(bytes, "fuzzed");
  std::vector<std::byte> content;
  stream.append_to(content, 16);
  stream.append_to(content, kMost);
  touch(content);
}

// As a gzipped tar is: libarchive asks for the next piece.
void skim(std::span<const std::byte> bytes) {
  GzipStream stream(bytes, "fuzzed");
  uint64_t given = 0;
  const auto next = [&] {
    const std::span<const std::byte> piece = stream.next();
    given += piece.size();
    if (given > kMost) throw Error(ErrorKind::input, "that is enough", "stop");
    touch(piece);
    return piece;
  };
  skim_tar(
      next, [](uint64_t) {}, "fuzzed");
}

void parse(std::span<const std::byte> bytes) {
  try {
    unpack(bytes);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input) throw;
  }
  skim(bytes);
}

}  // namespace
}  // namespace eqm::fuzz

EQM_FUZZ_TARGET(eqm::fuzz::parse)
