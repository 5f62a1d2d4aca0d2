// Reads a Python pickle as data. A pickle is a program for a small stack machine which, in Python,
// may call anything; this machine knows no function at all. It builds numbers, strings, lists,
// tuples and dictionaries; a class or function is kept as its name, and a call of one as an object
// with that name and its arguments, for the reader to understand or to leave alone. What it builds
// lives in one flat table, so that neither depth nor cycles matter, and its size is bounded.
// Protocols 2 to 5, which is what torch.save writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eqm {

// A checkpoint with optimiser state has some ten thousand values in less than a megabyte.
inline constexpr uint64_t kMaxPickleBytes = uint64_t{64} << 20;
inline constexpr size_t kMaxPickleValues = 1'000'000;
inline constexpr size_t kMaxPickleItems = 4'000'000;  // in all lists, tuples and dictionaries

enum class PickleKind {
  none,
  boolean,
  integer,      // within 64 bits
  big_integer,  // its bytes, lowest first, as text
  real,
  text,
  bytes,
  list,  // sets, too
  tuple,
  dict,        // also OrderedDict and defaultdict
  global,      // a class or function: "module name"
  object,      // a call that was not made: what was called, its arguments, items and state
  persistent,  // a reference to something outside the pickle, such as a storage
};

struct PickleNode {
  PickleKind kind = PickleKind::none;
  int64_t integer = 0;                 // boolean, integer
  double real = 0;                     // real
  std::string_view text = {};          // text, bytes, big_integer; of a global, its module
  std::string_view name = {};          // of a global
  uint32_t subject = 0;                // object: what was called; persistent: the reference
  uint32_t arguments = 0;              // object
  std::optional<uint32_t> state = {};  // what BUILD gave it
  std::vector<uint32_t> items = {};    // list, tuple; dict and object: key, value, key, value, ...
};

class PickleTree;

// A value in a tree, which must outlive it. Questions about another kind answer nothing.
class PickleValue {
 public:
  PickleValue(const PickleTree& tree, uint32_t index) : tree_(&tree), index_(index) {}

  PickleKind kind() const { return node().kind; }
  bool is(PickleKind wanted) const { return kind() == wanted; }
  // Whether it is the class or function of this name.
  bool is_global(std::string_view module, std::string_view name) const;

  std::optional<int64_t> integer() const;        // integers only
  std::optional<bool> boolean() const;           // True and False
  std::optional<double> real() const;            // numbers of any kind
  std::optional<std::string_view> text() const;  // in no particular encoding
  std::optional<std::string_view> big_integer() const;

  size_t size() const { return node().items.size(); }
  PickleValue at(size_t i) const { return {*tree_, node().items.at(i)}; }

  // Of a dict, or of an object that was filled like one; the last of equal keys counts.
  std::optional<PickleValue> find(std::string_view key) const;

  std::optional<PickleValue> subject() const;    // object, persistent
  std::optional<PickleValue> arguments() const;  // object
  std::optional<PickleValue> state() const;

 private:
  friend std::string described(const PickleValue& value);

  const PickleNode& node() const;

  const PickleTree* tree_;
  uint32_t index_;
};

// Strings are views of the bytes that were read: they must outlive the tree.
class PickleTree {
 public:
  // Reads one pickle from the front of `bytes`; `source` is named in errors, all of kind input.
  static PickleTree parse(std::span<const std::byte> bytes, const std::string& source);

  PickleValue root() const { return {*this, root_}; }
  size_t size() const { return nodes_.size(); }
  PickleValue value(size_t i) const { return {*this, static_cast<uint32_t>(i)}; }

  // How many bytes the pickle took.
  uint64_t length() const { return length_; }

 private:
  friend class PickleValue;
  friend class PickleMachine;

  std::vector<PickleNode> nodes_;
  uint32_t root_ = 0;
  uint64_t length_ = 0;
};

// A short name for messages: "a list", "collections.OrderedDict".
std::string described(const PickleValue& value);

}  // namespace eqm
