#include "eqm/io/npy_header.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/safetensors_header.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kMagic = "\x93NUMPY"sv;
constexpr size_t kAlignment = 64;
// NumPy itself warns past 10,000 bytes.
constexpr uint64_t kMaxHeader = 65'535;

struct NpyType {
  std::string_view name;
  Dtype dtype;
};

constexpr NpyType kTypes[] = {
    {"|b1", Dtype::boolean}, {"|u1", Dtype::u8},  {"|i1", Dtype::i8},  {"<u2", Dtype::u16},
    {"<i2", Dtype::i16},     {"<u4", Dtype::u32}, {"<i4", Dtype::i32}, {"<u8", Dtype::u64},
    {"<i8", Dtype::i64},     {"<f2", Dtype::f16}, {"<f4", Dtype::f32}, {"<f8", Dtype::f64},
};

[[noreturn]] void refuse_npy(const std::string& source, std::string_view problem,
                             std::string_view hint = kDamagedFileHint) {
  throw Error(ErrorKind::input, fmt::format("the array {} {}", in_quotes(source), problem),
              std::string(hint));
}

// {'descr': '<f4', 'fortran_order': False, 'shape': (8, 8), } and blanks; keys in any order.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  NpyHeader read() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      if (key == "descr" && !type_) {
        read_type();
      } else if (key == "fortran_order" && !order_) {
        order_ = truth();
      } else if (key == "shape" && !shape_) {
        read_shape();
      } else {
        damaged();
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!text_.empty() || !type_ || !order_ || !shape_) damaged();
    return {.dtype = *type_, .shape = std::move(*shape_), .fortran_order = *order_};
  }

 private:
  void skip_blanks() {
    const size_t first = text_.find_first_not_of(" \n");
    text_.remove_prefix(std::min(first, text_.size()));
  }

  bool accept(char wanted) {
    skip_blanks();
    if (text_.empty() || text_.front() != wanted) return false;
    text_.remove_prefix(1);
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) damaged();
  }

  std::string_view string() {
    expect('\'');
    const size_t end = text_.find('\'');
    if (end == std::string_view::npos) damaged();
    const std::string_view content = text_.substr(0, end);
    text_.remove_prefix(end + 1);
    return content;
  }

  bool truth() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.starts_with(word)) continue;
      text_.remove_prefix(word.size());
      return value;
    }
    damaged();
  }

  void read_type() {
    skip_blanks();
    if (text_.starts_with('[')) refuse_npy(source_, "holds records", "arrays of numbers are read");
    const std::string_view name = string();
    for (const NpyType& type : kTypes) {
      if (type.name == name) type_ = type.dtype;
    }
    if (!type_) {
      refuse_npy(source_,
                 fmt::format("has elements of type {}, which is not read", in_quotes(name)),
                 "little-endian numbers and truth values are; save it with another dtype");
    }
  }

  void read_shape() {
    expect('(');
    shape_.emplace();
    while (!accept(')')) {
      skip_blanks();
      int64_t size = 0;
      const auto [end, code] = std::from_chars(text_.data(), text_.data() + text_.size(), size);
      if (code != std::errc() || size < 0 || shape_->size() == kMaxTensorRank) damaged();
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      shape_->push_back(size);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  [[noreturn]] void damaged() const { refuse_npy(source_, "has a damaged header"); }

  std::string_view text_;
  const std::string& source_;
  std::optional<Dtype> type_;
  std::optional<bool> order_;
  std::optional<std::vector<int64_t>> shape_;
};

std::string literal(const NpyHeader& header) {
  std::string_view name;
  for (const NpyType& type : kTypes) {
    if (type.dtype == header.dtype) name = type.name;
  }
  if (name.empty()) {
    throw Error(ErrorKind::usage, fmt::format("NumPy has no type {}", name_of(header.dtype)),
                "convert to float32 first");
  }
  // A tuple of one has a comma, too.
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", name,
                     header.fortran_order ? "True" : "False", fmt::join(header.shape, ", "),
                     header.shape.size() == 1 ? "," : "");
}

constexpr size_t kPlainPrefix = 10;  // magic, version 1.0, two bytes of length

}  // namespace

size_t npy_header_size(std::span<const std::byte> prefix, const std::string& source) {
  if (prefix.size() < kNpyPrefix || !text_of(prefix).starts_with(kMagic)) {
    refuse_npy(source, "does not begin as .npy does");
  }
  const uint64_t version = little_endian(prefix.subspan(6, 1));
  if (version < 1 || version > 3) refuse_npy(source, fmt::format("is of version {}", version));
  const size_t width = version == 1 ? 2 : 4;
  const uint64_t length = little_endian(prefix.subspan(8, width));
  if (length > kMaxHeader) refuse_npy(source, fmt::format("claims a header of {} bytes", length));
  return 8 + width + static_cast<size_t>(length);
}

NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& source) {
  const size_t size = npy_header_size(bytes, source);
  if (bytes.size() < size) refuse_npy(source, "ends inside its header");
  const size_t prefix = little_endian(bytes.subspan(6, 1)) == 1 ? kPlainPrefix : kPlainPrefix + 2;
  if (size < prefix) refuse_npy(source, "has a damaged header");
  return LiteralReader(text_of(bytes.subspan(prefix, size - prefix)), source).read();
}

std::string npy_header(const NpyHeader& header, size_t size) {
  std::string text = literal(header);
  const size_t length = size - kPlainPrefix;
  if (size <= kPlainPrefix || length > kMaxHeader || text.size() + 1 > length) {
    throw Error(ErrorKind::internal, "an .npy header does not fit its room");
  }
  text.resize(length - 1, ' ');
  std::string bytes(kMagic);
  bytes += "\x01"sv;
  bytes += "\0"sv;
  bytes.push_back(static_cast<char>(length & 0xff));
  bytes.push_back(static_cast<char>(length >> 8));
  return bytes + text + "\n";
}

size_t npy_header_room(NpyHeader header) {
  if (!header.shape.empty()) header.shape.front() = std::numeric_limits<int64_t>::max();
  const size_t needed = kPlainPrefix + literal(header).size() + 1;
  return (needed + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace eqm
