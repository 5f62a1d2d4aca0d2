// What torch.save wrote, in the zip format or the one before PyTorch 1.6: a pickle whose tensors
// are windows on storages, which are views into the mapped file. Where a storage lived (CPU, CUDA)
// does not matter. The file is untrusted: nothing in it is run, and no view reaches outside its
// storage. Immutable after opening, hence safe to share between threads.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "eqm/io/pickle.h"
#include "eqm/io/strided_view.h"
#include "eqm/io/zip_reader.h"

namespace eqm {

struct TorchTensor {
  StridedView view;
  std::string storage;  // its key; several tensors may share one
};

// Whether the file begins as one of the two formats does.
bool is_torch_file(std::span<const std::byte> bytes);

class TorchFile {
 public:
  // Kind io when the file cannot be read, kind input when it breaks a rule.
  static TorchFile open(const std::filesystem::path& path);
  // The same from memory that outlives the result; `source` is named in errors.
  static TorchFile parse(std::span<const std::byte> bytes, std::string source);

  PickleValue root() const { return tree_->root(); }

  // Nothing when the value is no tensor; kind input when it is one that cannot be read.
  std::optional<TorchTensor> tensor(const PickleValue& value) const;

  // Compares the checksum of a storage; the older format has none.
  void check_storage(const std::string& key) const;

  const std::string& source() const { return source_; }
  // Null after parse().
  const std::shared_ptr<const MappedFile>& mapping() const { return mapping_; }

 private:
  // A window on a storage, as a persistent reference in the pickle names it.
  struct StorageReference {
    std::string key;
    std::optional<Dtype> dtype;  // none: counted in bytes, the tensor knows its type
    uint64_t size = 0;           // elements of the whole storage
    uint64_t begin = 0;          // first element of the window
    uint64_t window = 0;         // elements of the window
  };
  struct Storage {
    std::span<const std::byte> bytes;
    const ZipEntry* entry = nullptr;
  };

  TorchFile() = default;
  void read_zip(std::span<const std::byte> bytes);
  void read_legacy(std::span<const std::byte> bytes);
  StorageReference storage_reference(const PickleValue& value) const;
  TorchTensor make_tensor(const PickleValue& arguments, std::optional<Dtype> dtype) const;
  const Storage& find_storage(const StorageReference& reference, size_t element) const;
  [[noreturn]] void refuse(std::string_view problem) const;

  std::string source_;
  std::shared_ptr<const MappedFile> mapping_;
  std::shared_ptr<const ZipFile> zip_;
  std::shared_ptr<const PickleTree> tree_;  // on the heap, so that values survive a move
  std::vector<std::byte> unpacked_;         // the pickle, where it was deflated
  std::map<std::string, Storage> storages_;
};

}  // namespace eqm
