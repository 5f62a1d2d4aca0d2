// Safetensors files made by hand, right or wrong as a test needs them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "eqm/io/safetensors.h"

namespace eqm::test {

inline std::string length_bytes(uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

// A header with its true length, and the bytes behind it.
inline std::string file_of(const std::string& header, const std::string& data = {}) {
  return length_bytes(header.size()) + header + data;
}

// One tensor's entry: "name":{...}.
inline std::string entry(const std::string& name, const std::string& dtype,
                         const std::string& shape, const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

// Two entries, two metadata keys, an empty tensor: something of everything.
inline std::string sample_file() {
  return file_of("{\"__metadata__\":{\"k\":\"v\",\"l\":\"\"}," + entry("b", "F32", "[2]", "[0,8]") +
                     "," + entry("a", "I16", "[1,3]", "[8,14]") + "," +
                     entry("none", "U8", "[0]", "[8,8]") + "}  ",
                 "01234567abcdef");
}

inline SafetensorsFile parse(std::string_view file) {
  return SafetensorsFile::parse(std::as_bytes(std::span(file)), "made.safetensors");
}

inline std::string text_of(const TensorView& view) {
  return {reinterpret_cast<const char*>(view.bytes.data()), view.bytes.size()};
}

}  // namespace eqm::test
