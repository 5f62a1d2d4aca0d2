// The stack machine of pickles. Its instructions are described in Python's pickletools module.
#include <bit>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/pickle.h"
#include "eqm/io/text.h"

namespace eqm {

class PickleMachine {
 public:
  PickleMachine(std::span<const std::byte> bytes, const std::string& source)
      : cursor_(bytes.first(std::min<size_t>(bytes.size(), kMaxPickleBytes)), source),
        source_(source) {}

  PickleTree run() {
    if (cursor_.left() < 2 || number(1) != kProto) refuse("it does not begin as a pickle does");
    if (const uint64_t protocol = number(1); protocol < 2 || protocol > 5) {
      refuse(fmt::format("it is of protocol {}; 2 to 5 are read", protocol));
    }
    while (step(static_cast<unsigned char>(number(1)))) continue;
    tree_.root_ = pop();
    tree_.length_ = cursor_.position();
    return std::move(tree_);
  }

 private:
  static constexpr unsigned char kProto = 0x80;

  // One instruction; false at the last.
  bool step(unsigned char code) {
    switch (code) {
      case '.':
        return false;
      case kProto:
        cursor_.take(1);
        return true;
      case 0x95:  // a frame's length; the content follows as if it were not there
        cursor_.take(8);
        return true;
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case '0':
        pop();
        return true;
      case '1':
        pop_to_mark();
        return true;
      case '2':
        stack_.push_back(top());
        return true;
      default:
        break;
    }
    if (step_constant(code) || step_collection(code) || step_memo(code) || step_object(code)) {
      return true;
    }
    refuse(fmt::format("it has the instruction 0x{:02x} at byte {}, which is not understood", code,
                       cursor_.position() - 1));
  }

  bool step_constant(unsigned char code) {
    switch (code) {
      case 'N':
        push({});
        return true;
      case 0x88:
        push({.kind = PickleKind::boolean, .integer = 1});
        return true;
      case 0x89:
        push({.kind = PickleKind::boolean, .integer = 0});
        return true;
      case 'J':
        push_integer(std::bit_cast<int32_t>(static_cast<uint32_t>(number(4))));
        return true;
      case 'K':
        push_integer(static_cast<int64_t>(number(1)));
        return true;
      case 'M':
        push_integer(static_cast<int64_t>(number(2)));
        return true;
      case 0x8a:
        push_long(number(1));
        return true;
      case 0x8b:
        push_long(number(4));
        return true;
      case 'G':
        push({.kind = PickleKind::real, .real = big_endian_double()});
        return true;
      default:
        return step_string(code);
    }
  }

  bool step_string(unsigned char code) {
    switch (code) {
      case 'X':
      case 'T':  // strings of Python 2
        push_text(PickleKind::text, number(4));
        return true;
      case 0x8c:
      case 'U':
        push_text(PickleKind::text, number(1));
        return true;
      case 0x8d:
        push_text(PickleKind::text, number(8));
        return true;
      case 'B':
        push_text(PickleKind::bytes, number(4));
        return true;
      case 'C':
        push_text(PickleKind::bytes, number(1));
        return true;
      case 0x8e:
      case 0x96:
        push_text(PickleKind::bytes, number(8));
        return true;
      default:
        return false;
    }
  }

  bool step_collection(unsigned char code) {
    switch (code) {
      case ']':
      case 0x8f:  // a set
        push({.kind = PickleKind::list});
        return true;
      case ')':
        push({.kind = PickleKind::tuple});
        return true;
      case '}':
        push({.kind = PickleKind::dict});
        return true;
      case 0x85:
      case 0x86:
      case 0x87:
        push_items(PickleKind::tuple, pop_many(code - 0x84u));
        return true;
      case 't':
        push_items(PickleKind::tuple, pop_to_mark());
        return true;
      case 'l':
      case 0x91:  // a frozen set
        push_items(PickleKind::list, pop_to_mark());
        return true;
      case 'd':
        push_items(PickleKind::dict, whole_pairs(pop_to_mark()));
        return true;
      case 'a':
        extend(PickleKind::list, pop_many(1));
        return true;
      case 'e':
      case 0x90:
        extend(PickleKind::list, pop_to_mark());
        return true;
      case 's':
        extend(PickleKind::dict, pop_many(2));
        return true;
      case 'u':
        extend(PickleKind::dict, whole_pairs(pop_to_mark()));
        return true;
      default:
        return false;
    }
  }

  bool step_memo(unsigned char code) {
    switch (code) {
      case 'q':
        memo_[number(1)] = top();
        return true;
      case 'r':
        memo_[number(4)] = top();
        return true;
      case 0x94:
        memo_[memo_.size()] = top();
        return true;
      case 'h':
        recall(number(1));
        return true;
      case 'j':
        recall(number(4));
        return true;
      default:
        return false;
    }
  }

  bool step_object(unsigned char code) {
    switch (code) {
      case 'c': {
        const std::string_view module = line(), name = line();
        push({.kind = PickleKind::global, .text = module, .name = name});
        return true;
      }
      case 0x93: {
        const std::vector<uint32_t> names = pop_many(2);
        for (const uint32_t name : names) {
          if (node(name).kind != PickleKind::text) refuse("it names a class by no string");
        }
        push(
            {.kind = PickleKind::global, .text = node(names[0]).text, .name = node(names[1]).text});
        return true;
      }
      case 'R':
      case 0x81: {
        const std::vector<uint32_t> call = pop_many(2);
        push_call(call[0], call[1]);
        return true;
      }
      case 0x92: {  // with arguments by name, which nothing we read has
        const std::vector<uint32_t> call = pop_many(3);
        push_call(call[0], call[1]);
        return true;
      }
      case 'b': {
        const uint32_t state = pop();
        node(top()).state = state;
        return true;
      }
      case 'Q': {
        const uint32_t reference = pop();
        push({.kind = PickleKind::persistent, .subject = reference});
        return true;
      }
      default:
        return false;
    }
  }

  uint64_t number(size_t bytes) { return cursor_.number(bytes); }

  double big_endian_double() {
    uint64_t bits = 0;
    for (const std::byte byte : cursor_.take(8)) bits = bits << 8 | std::to_integer<uint64_t>(byte);
    return std::bit_cast<double>(bits);
  }

  // Up to a line feed, without it.
  std::string_view line() {
    const std::string_view rest = text_of(cursor_.rest());
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) refuse("a name in it has no end");
    cursor_.take(end + 1);
    return rest.substr(0, end);
  }

  PickleNode& node(uint32_t index) { return tree_.nodes_[index]; }

  void push(PickleNode value) {
    if (tree_.nodes_.size() >= kMaxPickleValues) {
      refuse(fmt::format("it holds more than {} values", kMaxPickleValues));
    }
    tree_.nodes_.push_back(std::move(value));
    stack_.push_back(static_cast<uint32_t>(tree_.nodes_.size() - 1));
  }

  void push_integer(int64_t value) { push({.kind = PickleKind::integer, .integer = value}); }

  // Two's complement of any length.
  void push_long(uint64_t size) {
    const auto digits = cursor_.take(size);
    if (size > 8) {
      push({.kind = PickleKind::big_integer, .text = text_of(digits)});
      return;
    }
    uint64_t value = little_endian(digits);
    const bool negative = size > 0 && (std::to_integer<unsigned>(digits.back()) & 0x80u) != 0;
    if (negative && size < 8) value |= ~uint64_t{0} << (8 * size);
    push_integer(std::bit_cast<int64_t>(value));
  }

  void push_text(PickleKind kind, uint64_t size) {
    push({.kind = kind, .text = text_of(cursor_.take(size))});
  }

  void push_items(PickleKind kind, std::vector<uint32_t> items) {
    count_items(items.size());
    push({.kind = kind});
    node(top()).items = std::move(items);
  }

  // Ordered dictionaries are called into being, with nothing or with a list of pairs.
  void push_call(uint32_t subject, uint32_t arguments) {
    const PickleValue called(tree_, subject);
    const bool is_dict = called.is_global("collections", "OrderedDict") ||
                         called.is_global("collections", "defaultdict");
    if (!is_dict) {
      push({.kind = PickleKind::object, .subject = subject, .arguments = arguments});
      return;
    }
    std::vector<uint32_t> items;
    for (const uint32_t argument : node(arguments).items) {
      for (const uint32_t pair : node(argument).items) {
        if (node(pair).items.size() != 2)
          refuse("it fills a dictionary with something else than pairs");
        count_items(2);
        items.insert(items.end(), node(pair).items.begin(), node(pair).items.end());
      }
    }
    push({.kind = PickleKind::dict});
    node(top()).items = std::move(items);
  }

  // Adds to what is on top of the stack; whatever object stands there may be of a class like it.
  void extend(PickleKind kind, const std::vector<uint32_t>& items) {
    PickleNode& target = node(top());
    if (target.kind != kind && target.kind != PickleKind::object) {
      refuse(fmt::format("it adds items to something else than a {}",
                         kind == PickleKind::list ? "list" : "dictionary"));
    }
    count_items(items.size());
    target.items.insert(target.items.end(), items.begin(), items.end());
  }

  std::vector<uint32_t> whole_pairs(std::vector<uint32_t> items) const {
    if (items.size() % 2 != 0) refuse("it has a key without a value");
    return items;
  }

  void count_items(size_t more) {
    items_ += more;
    if (items_ > kMaxPickleItems) {
      refuse(fmt::format("its collections hold more than {} items", kMaxPickleItems));
    }
  }

  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  uint32_t top() const {
    if (stack_.size() <= floor()) refuse("it takes more from its stack than there is");
    return stack_.back();
  }

  uint32_t pop() {
    const uint32_t value = top();
    stack_.pop_back();
    return value;
  }

  std::vector<uint32_t> pop_many(size_t count) {
    if (stack_.size() - floor() < count) refuse("it takes more from its stack than there is");
    const std::vector<uint32_t> taken(stack_.end() - static_cast<ptrdiff_t>(count), stack_.end());
    stack_.resize(stack_.size() - count);
    return taken;
  }

  std::vector<uint32_t> pop_to_mark() {
    if (marks_.empty()) refuse("it looks for a mark that was never set");
    std::vector<uint32_t> taken = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return taken;
  }

  void recall(uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) refuse(fmt::format("it recalls value {}, which it never noted", key));
    stack_.push_back(found->second);
  }

  [[noreturn]] void refuse(std::string_view problem) const {
    throw Error(
        ErrorKind::input,
        fmt::format("the pickle in {} is not understood: {}", in_quotes(source_), problem),
        "is it a checkpoint of torch.save? If so, it is damaged; download or save it again");
  }

  ByteCursor cursor_;
  const std::string& source_;
  PickleTree tree_;
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;  // sizes of the stack when they were set
  std::map<uint64_t, uint32_t> memo_;
  size_t items_ = 0;
};

PickleTree PickleTree::parse(std::span<const std::byte> bytes, const std::string& source) {
  return PickleMachine(bytes, source).run();
}

}  // namespace eqm
