#include "eqm/io/byte_cursor.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {

uint64_t little_endian(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
  return value;
}

std::span<const std::byte> ByteCursor::take(uint64_t count) {
  if (count > left()) {
    throw Error(ErrorKind::input,
                fmt::format("{} ends early: {} bytes are wanted at byte {} and {} are left",
                            in_quotes(source_), count, position_, left()),
                std::string(kDamagedFileHint));
  }
  const auto taken = bytes_.subspan(position_, static_cast<size_t>(count));
  position_ += static_cast<size_t>(count);
  return taken;
}

void ByteCursor::seek(uint64_t position) {
  position_ = 0;
  take(position);
}

}  // namespace eqm
