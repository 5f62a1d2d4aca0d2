#include "eqm/io/mapped_file.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eqm/base/error.h"
#include "eqm/io/file_descriptor.h"
#include "eqm/io/text.h"

namespace eqm {

MappedFile MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer before we can see that it is one.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.is_open()) throw io_error_from_errno("open", path.string());
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw io_error_from_errno("examine", path.string());
  if (S_ISDIR(status.st_mode)) {
    throw Error(ErrorKind::io, "cannot read " + in_quotes(path.string()) + ": it is a folder",
                "name a file inside it");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::io,
                "cannot read " + in_quotes(path.string()) + ": it is not a regular file",
                "pipes and devices cannot be mapped; save the data to a file first");
  }
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size == 0) return MappedFile(nullptr, 0);
  if (size > std::numeric_limits<size_t>::max()) {
    throw Error(ErrorKind::io, "cannot map " + in_quotes(path.string()) + ": it is too large",
                "use a 64-bit machine");
  }
  void* data = ::mmap(nullptr, static_cast<size_t>(size), PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) throw io_error_from_errno("map", path.string());
  return MappedFile(static_cast<const std::byte*>(data), static_cast<size_t>(size));
}

void MappedFile::release(std::span<const std::byte> bytes) const {
  if (bytes.empty()) return;
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto in_page = reinterpret_cast<uintptr_t>(bytes.data()) % page;
  std::byte* const begin = const_cast<std::byte*>(bytes.data()) - in_page;
  // Advice; a system that does not take it only uses more memory.
  ::madvise(begin, bytes.size() + in_page, MADV_DONTNEED);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace eqm
