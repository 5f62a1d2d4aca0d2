// Tars made by hand, right or wrong as a test needs them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace eqm::test {

// The text with zeros up to the next multiple of 512.
inline std::string in_blocks(std::string text) {
  text.resize((text.size() + 511) / 512 * 512);
  return text;
}

struct TarHeader {
  std::string name;
  uint64_t size = 0;
  char type = '0';  // a regular file; '5' a folder, '1' a hard link, '2' a symbolic one
  std::string link = {};
};

// One block of 512 bytes in the ustar format, with its checksum.
inline std::string tar_header(const TarHeader& header) {
  std::string block(512, '\0');
  const auto put = [&block](size_t where, const std::string& text) {
    block.replace(where, text.size(), text);
  };
  const auto octal = [](uint64_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
    return std::string(text);
  };
  put(0, header.name.substr(0, 100));
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  if (header.size < uint64_t{1} << 33) {
    put(124, octal(header.size, 11));
  } else {  // base 256, as GNU tar writes sizes of 8 GB and more
    block[124] = '\x80';
    for (size_t i = 0; i < 8; ++i) block[135 - i] = static_cast<char>(header.size >> (8 * i));
  }
  put(136, "00000000000");
  put(148, "        ");
  block[156] = header.type;
  put(157, header.link.substr(0, 100));
  put(257, std::string("ustar\00000", 8));
  uint64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0');
  return block;
}

inline std::string tar_file(const std::string& name, const std::string& content) {
  return tar_header({.name = name, .size = content.size()}) + in_blocks(content);
}

// One record of an extended header: its own length, a blank, key=value, a line feed.
inline std::string pax_record(const std::string& key, const std::string& value) {
  const std::string body = " " + key + "=" + value + "\n";
  size_t length = body.size() + 1;
  while (std::to_string(length).size() + body.size() != length) ++length;
  return std::to_string(length) + body;
}

// An extended header for the entry that follows.
inline std::string pax_header(const std::string& records) {
  return tar_header({.name = "pax", .size = records.size(), .type = 'x'}) + in_blocks(records);
}

inline std::string tar_end() {
  return std::string(1024, '\0');
}

}  // namespace eqm::test
