#include "eqm/base/error.h"
#include "eqm/io/npz.h"

namespace eqm {

void NpzWriter::begin(const std::string& name, Dtype dtype, const std::vector<int64_t>& row) {
  header_ = {.dtype = dtype, .shape = row, .fortran_order = false};
  row_bytes_ = byte_count(dtype, row).value_or(0);
  if (row_bytes_ == 0)
    throw Error(ErrorKind::usage, "rows of an array must have a size",
                "every dimension of a row must be at least 1");
  header_.shape.insert(header_.shape.begin(), 0);
  room_ = npy_header_room(header_);
  zip_.begin(name + ".npy", method_, room_);
}

void NpzWriter::write(std::span<const std::byte> rows) {
  if (rows.size() % row_bytes_ != 0) {
    throw Error(ErrorKind::usage, "an array is written in whole rows",
                "write a multiple of the bytes of a row");
  }
  zip_.write(rows);
  header_.shape.front() += static_cast<int64_t>(rows.size() / row_bytes_);
}

void NpzWriter::end() {
  const std::string head = npy_header(header_, room_);
  zip_.end(std::as_bytes(std::span(head)));
}

}  // namespace eqm
