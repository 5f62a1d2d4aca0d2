// A source without files: example i has label i % 3 and bytes that only i has; some can be damaged.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eqm/base/error.h"
#include "eqm/data/source.h"

namespace eqm::test {

class MadeSource : public Source {
 public:
  explicit MadeSource(int64_t size, std::set<int64_t> damaged = {})
      : size_(size), damaged_(std::move(damaged)) {}

  static std::vector<std::byte> bytes_of(int64_t index) {
    std::vector<std::byte> bytes;
    for (int64_t i = 0; i < 6; ++i) bytes.push_back(static_cast<std::byte>(index >> i | i << 5));
    return bytes;
  }

  int64_t size() const override { return size_; }

  Example get(int64_t index) const override {
    ++reads_;
    if (damaged_.contains(index)) {
      throw Error(ErrorKind::input, "'" + name_of(index) + "' is damaged", "mend it");
    }
    return {.dtype = Dtype::u8, .shape = {1, 2, 3}, .bytes = bytes_of(index), .label = index % 3};
  }

  std::string name_of(int64_t index) const override { return "made " + std::to_string(index); }

  const std::vector<std::string>& class_names() const override { return classes_; }

  uint64_t fingerprint() const override { return static_cast<uint64_t>(size_); }

  int64_t reads() const { return reads_; }

 private:
  int64_t size_;
  std::set<int64_t> damaged_;
  std::vector<std::string> classes_ = {"a", "b", "c"};
  mutable std::atomic<int64_t> reads_ = 0;
};

}  // namespace eqm::test
