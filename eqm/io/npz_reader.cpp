#include <cstring>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/npz.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr std::string_view kSuffix = ".npy";

[[noreturn]] void refuse_npz(const std::string& source, const std::string& problem) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(source), problem),
              std::string(kDamagedFileHint));
}

// Elements whose first index runs fastest, put into the order in which the last one does.
std::vector<std::byte> row_major(const std::vector<std::byte>& bytes,
                                 const std::vector<int64_t>& shape, size_t element) {
  std::vector<std::byte> ordered(bytes.size());
  std::vector<size_t> index(shape.size()), stride(shape.size());
  size_t step = element;
  for (size_t i = 0; i < shape.size(); ++i) {
    stride[i] = step;
    step *= static_cast<size_t>(shape[i]);
  }
  for (size_t to = 0; to < ordered.size(); to += element) {
    size_t from = 0;
    for (size_t i = 0; i < shape.size(); ++i) from += index[i] * stride[i];
    std::memcpy(ordered.data() + to, bytes.data() + from, element);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < static_cast<size_t>(shape[i])) break;
      index[i] = 0;
    }
  }
  return ordered;
}

}  // namespace

NpyReader::NpyReader(const ZipFile& file, const ZipEntry& entry)
    : stream_(entry, file.source(), file.mapping().get()), checksum_(entry.checksum) {
  const std::string name = fmt::format("{} in {}", entry.name, file.source());
  std::vector<std::byte> head(kNpyPrefix);
  if (stream_.left() < head.size()) refuse_npz(name, "is too short for an array");
  stream_.read(head);
  const size_t size = npy_header_size(head, name);
  if (size < kNpyPrefix || size - kNpyPrefix > stream_.left()) {
    refuse_npz(name, "ends inside its header");
  }
  head.resize(size);
  stream_.read(std::span(head).subspan(kNpyPrefix));
  header_ = parse_npy_header(head, name);
  const auto wanted = byte_count(header_.dtype, header_.shape);
  if (!wanted || *wanted != stream_.left()) {
    refuse_npz(name,
               fmt::format("has {} bytes, which is not what its shape needs", stream_.left()));
  }
  if (entry.method == ZipMethod::stored) in_place_ = entry.packed.subspan(size);
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const ZipEntry& entry : zip_.entries()) {
    if (!entry.name.ends_with(kSuffix)) continue;
    names.push_back(entry.name.substr(0, entry.name.size() - kSuffix.size()));
  }
  return names;
}

NpyReader NpzFile::array(const std::string& name) const {
  const ZipEntry* entry = zip_.find(name + std::string(kSuffix));
  if (entry == nullptr) {
    throw Error(ErrorKind::input,
                fmt::format("{} has no array {}", in_quotes(zip_.source()), in_quotes(name)),
                "samples for evaluation are called arr_0");
  }
  return NpyReader(zip_, *entry);
}

NpyArray NpzFile::read(const std::string& name, uint64_t most) const {
  NpyReader reader = array(name);
  if (reader.left() > most) {
    throw Error(ErrorKind::input,
                fmt::format("the array {} of {} has {} bytes; at most {} are read at once",
                            in_quotes(name), in_quotes(zip_.source()), reader.left(), most),
                "is it the file you meant?");
  }
  NpyArray array = {.dtype = reader.header().dtype,
                    .shape = reader.header().shape,
                    .bytes = std::vector<std::byte>(static_cast<size_t>(reader.left()))};
  reader.read(array.bytes);
  if (reader.header().fortran_order) {
    array.bytes = row_major(array.bytes, array.shape, size_of(array.dtype));
  }
  return array;
}

}  // namespace eqm
