// Reads TensorBoard event files, sharing nothing with the writer: check sums bit by bit, framing,
// and the protocol buffers' wire format. Anything unexpected throws std::runtime_error.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/content_of.h"

namespace eqm::test {

inline uint32_t bitwise_crc32c(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    for (int bit = 0; bit < 8; ++bit) {
      const bool differ = ((crc ^ (static_cast<uint32_t>(byte) >> bit)) & 1u) != 0;
      crc = differ ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
    }
  }
  return crc ^ 0xFFFFFFFFu;
}

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool done() const { return rest_.empty(); }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("cut off");
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(count));
    rest_.remove_prefix(static_cast<size_t>(count));
    return taken;
  }

  template <class Number>
  Number take_number() {  // tests run on little-endian machines
    Number number;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  }

  uint64_t take_varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7Fu} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("a varint without end");
  }

 private:
  std::string_view rest_;
};

// The data of every record of a TFRecord file.
inline std::vector<std::string> read_records(const std::filesystem::path& path) {
  const std::string content = content_of(path);
  const auto check = [](std::string_view bytes, uint32_t stored) {
    const uint32_t rotated = stored - 0xA282EAD8u;
    if (((rotated << 15) | (rotated >> 17)) != bitwise_crc32c(bytes)) {
      throw std::runtime_error("wrong check sum");
    }
  };
  std::vector<std::string> records;
  ByteReader reader(content);
  while (!reader.done()) {
    const std::string_view length = reader.take(8);
    check(length, reader.take_number<uint32_t>());
    const std::string_view data = reader.take(ByteReader(length).take_number<uint64_t>());
    check(data, reader.take_number<uint32_t>());
    records.emplace_back(data);
  }
  return records;
}

// The fields of one message. Numbers keep their bits; a repeated field keeps its last value.
struct Message {
  std::map<uint64_t, uint64_t> numbers;
  std::map<uint64_t, std::string> texts;

  explicit Message(std::string_view bytes) {
    ByteReader reader(bytes);
    while (!reader.done()) {
      const uint64_t tag = reader.take_varint();
      switch (tag & 7) {
        case 0:
          numbers[tag >> 3] = reader.take_varint();
          break;
        case 1:
          numbers[tag >> 3] = reader.take_number<uint64_t>();
          break;
        case 2:
          texts[tag >> 3] = reader.take(reader.take_varint());
          break;
        case 5:
          numbers[tag >> 3] = reader.take_number<uint32_t>();
          break;
        default:
          throw std::runtime_error("an unknown wire type");
      }
    }
  }

  Message inner(uint64_t field) const { return Message(texts.at(field)); }
  double as_double(uint64_t field) const { return bits_as<double>(field); }
  float as_float(uint64_t field) const { return bits_as<float>(field); }
  int64_t as_integer(uint64_t field) const { return bits_as<int64_t>(field); }

 private:
  template <class Number>
  Number bits_as(uint64_t field) const {
    Number number;
    std::memcpy(&number, &numbers.at(field), sizeof number);
    return number;
  }
};

// What a scalar, a picture or a session log says; the other members stay as they are.
struct Event {
  double wall_time = 0;
  int64_t step = 0;
  std::string file_version, tag, png;
  float value = 0;
  int64_t width = 0, height = 0, colorspace = 0, session_status = 0;
};

inline std::vector<Event> read_events(const std::filesystem::path& path) {
  std::vector<Event> events;
  for (const std::string& record : read_records(path)) {
    const Message message(record);
    Event& event = events.emplace_back();
    event.wall_time = message.as_double(1);
    if (message.numbers.contains(2)) event.step = message.as_integer(2);
    if (message.texts.contains(3)) event.file_version = message.texts.at(3);
    if (message.texts.contains(7)) event.session_status = message.inner(7).as_integer(1);
    if (!message.texts.contains(5)) continue;
    const Message value = message.inner(5).inner(1);
    event.tag = value.texts.at(1);
    if (value.numbers.contains(2)) event.value = value.as_float(2);
    if (!value.texts.contains(4)) continue;
    const Message image = value.inner(4);
    event.height = image.as_integer(1);
    event.width = image.as_integer(2);
    event.colorspace = image.as_integer(3);
    event.png = image.texts.at(4);
  }
  return events;
}

}  // namespace eqm::test
