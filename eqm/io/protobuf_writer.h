// Writes the wire format of protocol buffers: fields one after the other into a string.
//
//   ProtobufWriter value;  value.text(1, "loss");  value.number(2, 0.25f);
//   ProtobufWriter event;  event.message(5, value);
//
// Written by hand because many LibTorch builds carry their own copy of libprotobuf, and a second
// one in the process clashes with it; the few field types we need are a page of code.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace eqm {

// Least significant byte first, whatever the machine's order.
template <class Unsigned>
void append_little_endian(std::string& out, Unsigned value) {
  for (size_t i = 0; i < sizeof(Unsigned); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

class ProtobufWriter {
 public:
  // int32, int64 and enumerations; a negative number takes ten bytes, as the format has it.
  void integer(uint32_t field, int64_t value) {
    tag(field, kVarint);
    varint(static_cast<uint64_t>(value));
  }

  void number(uint32_t field, double value) {
    tag(field, kFixed64);
    append_little_endian(bytes_, std::bit_cast<uint64_t>(value));
  }

  void number(uint32_t field, float value) {
    tag(field, kFixed32);
    append_little_endian(bytes_, std::bit_cast<uint32_t>(value));
  }

  // string and bytes. A proto3 string must be UTF-8: the caller sees to it.
  void text(uint32_t field, std::string_view value) {
    tag(field, kLengthDelimited);
    varint(value.size());
    bytes_ += value;
  }

  void message(uint32_t field, const ProtobufWriter& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr uint32_t kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5;

  void tag(uint32_t field, uint32_t wire_type) { varint(uint64_t{field} << 3 | wire_type); }

  // Seven bits per byte, the lowest first; the top bit says that more follow.
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace eqm
