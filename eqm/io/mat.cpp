#include "eqm/io/mat.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr size_t kMatHeader = 128;
constexpr size_t kMatVersion = 124;  // two bytes of version, then "IM" or "MI"
constexpr uint64_t kMostDimensions = 32;
constexpr uint64_t kMostNameBytes = 4096;
constexpr uint64_t kMostVariables = 65'536;

constexpr uint64_t kMostExpansion = 1032;  // of deflate

enum MatType : uint32_t {
  mat_int8 = 1,
  mat_uint8 = 2,
  mat_int32 = 5,
  mat_uint32 = 6,
  mat_matrix = 14,
  mat_compressed = 15,
  mat_utf8 = 16,
};

// Classes of arrays of real numbers: double, single, and whole numbers of 8 to 64 bits.
constexpr uint32_t kFirstNumericClass = 6, kLastNumericClass = 15;
constexpr uint32_t kComplexFlag = 0x800;

[[noreturn]] void refuse_mat(const std::string& source, std::string_view problem,
                             std::string_view hint = kDamagedFileHint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(source), problem),
              std::string(hint));
}

std::optional<Dtype> dtype_of_mat(uint32_t type) {
  switch (type) {
    case mat_int8:
      return Dtype::i8;
    case mat_uint8:
      return Dtype::u8;
    case 3:
      return Dtype::i16;
    case 4:
      return Dtype::u16;
    case mat_int32:
      return Dtype::i32;
    case mat_uint32:
      return Dtype::u32;
    case 7:
      return Dtype::f32;
    case 9:
      return Dtype::f64;
    case 12:
      return Dtype::i64;
    case 13:
      return Dtype::u64;
    default:
      return std::nullopt;
  }
}

// The content of a top-level element from its first byte on, inflated where it is deflated.
class MatContent {
 public:
  MatContent(std::span<const std::byte> element, bool deflated, const std::string& source)
      : rest_(element), deflated_(deflated), source_(source) {
    if (deflated_ && inflateInit(&stream_) != Z_OK) {
      throw Error(ErrorKind::internal, "zlib has no memory for a stream");
    }
  }
  MatContent(const MatContent&) = delete;
  MatContent& operator=(const MatContent&) = delete;
  ~MatContent() {
    if (deflated_) inflateEnd(&stream_);
  }

  uint64_t position() const { return position_; }

  // Fills `out`, or refuses.
  void read(std::span<std::byte> out) {
    if (read_some(out) < out.size()) refuse_mat(source_, "ends early within a variable");
  }

  uint32_t number() {
    std::array<std::byte, 4> bytes{};
    read(bytes);
    return static_cast<uint32_t>(little_endian(bytes));
  }

  void skip(uint64_t count) {
    std::array<std::byte, 4096> room{};
    while (count > 0) {
      const auto part = static_cast<size_t>(std::min<uint64_t>(count, room.size()));
      read(std::span(room).first(part));
      count -= part;
    }
  }

  // Behind the elements: nothing but padding, and a checksum that is right.
  void finish() {
    std::array<std::byte, 8> room{};
    if (!deflated_) return;
    if (read_some(room) < room.size() && ended_) return;
    refuse_mat(source_, "unpacks to more than a variable announces");
  }

 private:
  // As much as there is.
  size_t read_some(std::span<std::byte> out) {
    size_t done = 0;
    if (!deflated_) {
      done = std::min(out.size(), rest_.size());
      std::copy_n(rest_.begin(), done, out.begin());
      rest_ = rest_.subspan(done);
    }
    while (deflated_ && done < out.size() && !ended_) inflate_into(out, done);
    position_ += done;
    return done;
  }

  void inflate_into(std::span<std::byte> out, size_t& done) {
    constexpr size_t kMostAtOnce = std::numeric_limits<uInt>::max();  // zlib counts in 32 bits
    const auto given = static_cast<uInt>(std::min(rest_.size(), kMostAtOnce));
    const auto room = static_cast<uInt>(std::min(out.size() - done, kMostAtOnce));
    // Read only, though zlib does not say so.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(rest_.data()));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream_.avail_out = room;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    rest_ = rest_.subspan(given - stream_.avail_in);
    const size_t produced = room - stream_.avail_out;
    done += produced;
    ended_ = status == Z_STREAM_END;
    if (ended_) return;
    if (status != Z_OK && status != Z_BUF_ERROR) {
      refuse_mat(source_, fmt::format("cannot be unpacked: {}",
                                      stream_.msg != nullptr ? stream_.msg : zError(status)));
    }
    if (produced == 0 && rest_.empty()) refuse_mat(source_, "ends early within a variable");
  }

  std::span<const std::byte> rest_;
  bool deflated_;
  const std::string& source_;
  z_stream stream_{};
  bool ended_ = false;
  uint64_t position_ = 0;
};

// A tag: up to four bytes of data may stand in its second half.
struct MatTag {
  uint32_t type = 0;
  uint64_t bytes = 0;
  bool is_small = false;

  // To the next multiple of eight.
  uint64_t padding() const {
    const uint64_t unit = is_small ? 4 : 8;
    return (unit - bytes % unit) % unit;
  }
};

MatTag read_tag(MatContent& content, const std::string& source) {
  const uint32_t first = content.number();
  if (first >> 16 == 0) return {.type = first, .bytes = content.number()};
  const MatTag small = {.type = first & 0xFFFF, .bytes = first >> 16, .is_small = true};
  if (small.bytes > 4) {
    refuse_mat(source, fmt::format("claims {} bytes where four have room", small.bytes));
  }
  return small;
}

// The data of a short element.
std::vector<std::byte> read_short(MatContent& content, const MatTag& tag) {
  std::vector<std::byte> bytes(static_cast<size_t>(tag.bytes));
  content.read(bytes);
  content.skip(tag.padding());
  return bytes;
}

std::vector<int64_t> read_dimensions(MatContent& content, const std::string& source) {
  const MatTag tag = read_tag(content, source);
  if (tag.type != mat_int32 || tag.bytes % 4 != 0 || tag.bytes < 8 ||
      tag.bytes > 4 * kMostDimensions) {
    refuse_mat(source, "has a variable without dimensions");
  }
  const std::vector<std::byte> bytes = read_short(content, tag);
  std::vector<int64_t> shape;
  for (size_t i = 0; i < bytes.size() / 4; ++i) shape.push_back(number_at<int32_t>(bytes, i));
  if (!element_count(shape)) {
    refuse_mat(source, fmt::format("has a variable of the shape [{}]", fmt::join(shape, ", ")));
  }
  return shape;
}

std::string read_variable_name(MatContent& content, const std::string& source) {
  const MatTag tag = read_tag(content, source);
  if ((tag.type != mat_int8 && tag.type != mat_utf8) || tag.bytes > kMostNameBytes) {
    refuse_mat(source, "has a variable without a name");
  }
  return std::string(text_of(read_short(content, tag)));
}

// Reads the headers of the matrix in an element.
MatVariable read_variable(std::span<const std::byte> element, bool deflated, uint64_t bytes,
                          const std::string& source) {
  MatContent content(element, deflated, source);
  MatVariable variable = {.name = {}, .shape = {}, .element = element, .deflated = deflated};
  if (deflated) {
    const MatTag tag = read_tag(content, source);
    if (tag.type != mat_matrix || tag.is_small)
      refuse_mat(source, "packs something else than a variable");
    bytes = tag.bytes;
  }
  const uint64_t end = content.position() + bytes;
  const MatTag flags_tag = read_tag(content, source);
  if (flags_tag.type != mat_uint32 || flags_tag.bytes != 8 || flags_tag.is_small) {
    refuse_mat(source, "has a variable without flags");
  }
  const uint32_t flags = content.number();
  content.skip(4);
  const uint32_t kind = flags & 0xFF;
  variable.shape = read_dimensions(content, source);
  variable.name = read_variable_name(content, source);
  if (kind < kFirstNumericClass || kind > kLastNumericClass || (flags & kComplexFlag) != 0) {
    return variable;
  }
  const MatTag tag = read_tag(content, source);
  variable.dtype = dtype_of_mat(tag.type);
  if (!variable.dtype) {
    refuse_mat(source,
               fmt::format("stores {} by the unknown type {}", in_quotes(variable.name), tag.type));
  }
  variable.bytes = tag.bytes;
  variable.offset = content.position();
  // A length beyond what deflate can do is a lie.
  const bool is_possible = !deflated || tag.bytes / kMostExpansion <= element.size();
  if (byte_count(*variable.dtype, variable.shape) != tag.bytes ||
      variable.offset + tag.bytes > end || !is_possible) {
    refuse_mat(source, fmt::format("has {} bytes of {} for the shape [{}]", tag.bytes,
                                   in_quotes(variable.name), fmt::join(variable.shape, ", ")));
  }
  return variable;
}

void check_mat_header(std::span<const std::byte> bytes, const std::string& source) {
  if (bytes.size() < kMatHeader) {
    refuse_mat(source, fmt::format("ends after {} bytes, within the header of a MATLAB file",
                                   bytes.size()));
  }
  const std::string_view end = text_of(bytes.subspan(kMatVersion, 4));
  constexpr std::string_view kResave = "load it in MATLAB or Octave and save it again with -v7";
  if (end.substr(2) == "MI")
    refuse_mat(source, "is a MATLAB file of a big-endian machine", kResave);
  if (end.substr(2) != "IM") {
    refuse_mat(source, "is not a MATLAB file of level 5", kResave);
  }
  if (little_endian(bytes.subspan(kMatVersion, 2)) != 0x0100) {
    refuse_mat(source, "is a MATLAB file of version 7.3, which is HDF5 inside", kResave);
  }
}

}  // namespace

MatFile MatFile::parse(std::span<const std::byte> bytes, std::string source) {
  MatFile file;
  file.source_ = std::move(source);
  check_mat_header(bytes, file.source_);
  ByteCursor cursor(bytes.subspan(kMatHeader), file.source_);
  while (cursor.left() > 0) {
    const auto type = static_cast<uint32_t>(cursor.number(4));
    const uint64_t size = cursor.number(4);
    if (type != mat_matrix && type != mat_compressed) {
      refuse_mat(file.source_, fmt::format("has an element of type {} where variables are", type));
    }
    const std::span<const std::byte> element = cursor.take(size);
    if (file.variables_.size() == kMostVariables) {
      refuse_mat(file.source_, fmt::format("has more than {} variables", kMostVariables));
    }
    file.variables_.push_back(read_variable(element, type == mat_compressed, size, file.source_));
  }
  return file;
}

MatFile MatFile::open(const std::filesystem::path& path) {
  auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
  MatFile file = parse(mapping->bytes(), path.string());
  file.mapping_ = std::move(mapping);
  return file;
}

const MatVariable* MatFile::find(std::string_view name) const {
  const auto found = std::ranges::find(variables_, name, &MatVariable::name);
  return found == variables_.end() ? nullptr : &*found;
}

std::vector<std::byte> MatFile::read(const MatVariable& variable, uint64_t most) const {
  if (!variable.dtype) {
    refuse_mat(source_,
               fmt::format("holds no array of real numbers in {}", in_quotes(variable.name)),
               "save the array itself, with -v7");
  }
  if (variable.bytes > most) {
    refuse_mat(source_, fmt::format("announces {} bytes of {}; at most {} are read", variable.bytes,
                                    in_quotes(variable.name), most));
  }
  MatContent content(variable.element, variable.deflated, source_);
  content.skip(variable.offset);
  std::vector<std::byte> bytes(static_cast<size_t>(variable.bytes));
  content.read(bytes);
  content.finish();
  return bytes;
}

}  // namespace eqm
