// Pickles and PyTorch files made by hand: each function gives the instructions that leave one value
// on the machine's stack.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/zip_builder.h"

namespace eqm::test::pickled {

using Parts = std::vector<std::string>;

inline std::string joined(const Parts& parts) {
  std::string all;
  for (const std::string& part : parts) all += part;
  return all;
}

inline std::string pickle(const std::string& body) {
  return std::string("\x80\x02") + body + ".";
}
inline std::string text(const std::string& value) {
  return "X" + little(value.size(), 4) + value;
}
// Two's complement of eight bytes.
inline std::string number(int64_t value) {
  return std::string("\x8a\x08") + little(static_cast<uint64_t>(value), 8);
}
inline std::string tuple(const Parts& items) {
  return "(" + joined(items) + "t";
}
inline std::string list(const Parts& items) {
  return "](" + joined(items) + "e";
}
inline std::string numbers(const std::vector<int64_t>& values) {
  Parts items;
  for (const int64_t value : values) items.push_back(number(value));
  return tuple(items);
}
inline std::string dict(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string body = "}(";
  for (const auto& [key, value] : items) body += text(key) + value;
  return body + "u";
}
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string call(const std::string& function, const Parts& arguments) {
  return function + tuple(arguments) + "R";
}
inline std::string truth(bool value) {
  return value ? "\x88" : "\x89";
}
inline std::string none() {
  return "N";
}

inline std::string storage(const std::string& type, const std::string& key, int64_t size,
                           const std::string& place = "cpu") {
  return tuple({text("storage"), global("torch", type), text(key), text(place), number(size)}) +
         "Q";
}
inline std::string tensor(const std::string& storage, int64_t offset,
                          const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  return call(global("torch._utils", "_rebuild_tensor_v2"),
              {storage, number(offset), numbers(shape), numbers(strides), truth(false),
               call(global("collections", "OrderedDict"), {})});
}
// A contiguous vector that is all of its storage.
inline std::string vector_of(const std::string& key, int64_t size) {
  return tensor(storage("FloatStorage", key, size), 0, {size}, {1});
}

// As torch.save writes since 1.6.
inline std::string torch_zip(const std::string& body,
                             const std::map<std::string, std::string>& storages) {
  std::vector<MadeEntry> entries = {{.name = "archive/data.pkl", .content = pickle(body)}};
  for (const auto& [key, bytes] : storages) {
    entries.push_back({.name = "archive/data/" + key, .content = bytes});
  }
  entries.push_back({.name = "archive/version", .content = "3\n"});
  return made_zip(entries);
}

// As it wrote before: counts are of elements.
inline std::string torch_legacy(const std::string& body, const Parts& keys,
                                const std::vector<std::pair<int64_t, std::string>>& storages,
                                bool little_endian = true) {
  Parts names;
  for (const std::string& key : keys) names.push_back(text(key));
  std::string file = pickle(std::string("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 12)) +
                     pickle(number(1001)) +
                     pickle(dict({{"little_endian", truth(little_endian)}})) + pickle(body) +
                     pickle(list(names));
  for (const auto& [count, bytes] : storages)
    file += little(static_cast<uint64_t>(count), 8) + bytes;
  return file;
}

}  // namespace eqm::test::pickled
