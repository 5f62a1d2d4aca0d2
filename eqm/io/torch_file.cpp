#include "eqm/io/torch_file.h"

#include <utility>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/io/byte_cursor.h"
#include "eqm/io/text.h"
#include "eqm/io/zip_stream.h"

namespace eqm {
namespace {

using namespace std::string_view_literals;

// The number every file of the older format begins with, as the pickle writes its ten bytes.
constexpr std::string_view kLegacyMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr int64_t kLegacyProtocol = 1001;
constexpr std::string_view kPickleName = "data.pkl";

}  // namespace

bool is_torch_file(std::span<const std::byte> bytes) {
  return is_zip(bytes) || (bytes.size() >= 2 && bytes[0] == std::byte{0x80});
}

TorchFile TorchFile::parse(std::span<const std::byte> bytes, std::string source) {
  TorchFile file;
  file.source_ = std::move(source);
  is_zip(bytes) ? file.read_zip(bytes) : file.read_legacy(bytes);
  return file;
}

TorchFile TorchFile::open(const std::filesystem::path& path) {
  auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
  TorchFile file = parse(mapping->bytes(), path.string());
  file.mapping_ = std::move(mapping);
  return file;
}

// All entries lie below one folder of any name: NAME/data.pkl and NAME/data/KEY.
void TorchFile::read_zip(std::span<const std::byte> bytes) {
  zip_ = std::make_shared<const ZipFile>(ZipFile::parse(bytes, source_));
  const ZipEntry* pickle = nullptr;
  for (const ZipEntry& entry : zip_->entries()) {
    const std::string_view name = entry.name;
    const size_t folder = name.find('/');
    if (folder == std::string_view::npos || name.substr(folder + 1) != kPickleName) continue;
    if (pickle != nullptr) refuse("it holds two checkpoints");
    pickle = &entry;
  }
  if (pickle == nullptr) refuse("it is a zip without 'data.pkl'");
  const std::string folder = pickle->name.substr(0, pickle->name.size() - kPickleName.size());
  if (const ZipEntry* order = zip_->find(folder + "byteorder")) {
    if (text_of(read_entry(*order, source_, 16)) != "little") refuse("its numbers are big-endian");
  }
  const std::string data = folder + "data/";
  for (const ZipEntry& entry : zip_->entries()) {
    if (!entry.name.starts_with(data) || entry.method != ZipMethod::stored) continue;
    storages_[entry.name.substr(data.size())] = {.bytes = entry.packed, .entry = &entry};
  }
  std::span<const std::byte> content = pickle->packed;
  if (pickle->method == ZipMethod::deflated) {
    unpacked_ = read_entry(*pickle, source_, kMaxPickleBytes);
    content = unpacked_;
  } else {
    check_stored(*pickle, source_);
  }
  tree_ = std::make_shared<const PickleTree>(PickleTree::parse(content, source_));
}

// Five pickles: a magic number, a version, the machine, the content, the keys of the storages. The
// storages follow in the order of the keys, each as its count of elements and its bytes.
void TorchFile::read_legacy(std::span<const std::byte> bytes) {
  ByteCursor cursor(bytes, source_);
  const auto next = [&] {
    PickleTree tree = PickleTree::parse(cursor.rest(), source_);
    cursor.take(tree.length());
    return tree;
  };
  if (next().root().big_integer() != kLegacyMagic) refuse("it is a pickle, but not of torch.save");
  if (next().root().integer() != kLegacyProtocol) refuse("it is of an unknown version");
  const PickleTree machine = next();
  const auto little = machine.root().find("little_endian");
  if (!little || little->boolean() != true) refuse("its numbers are big-endian");
  tree_ = std::make_shared<const PickleTree>(next());

  std::map<std::string, StorageReference> references;
  for (size_t i = 0; i < tree_->size(); ++i) {
    if (!tree_->value(i).is(PickleKind::persistent)) continue;
    StorageReference reference = storage_reference(tree_->value(i));
    std::string key = reference.key;
    references.insert_or_assign(std::move(key), std::move(reference));
  }
  const PickleTree keys = next();
  if (!keys.root().is(PickleKind::list)) refuse("its list of storages is missing");
  for (size_t i = 0; i < keys.root().size(); ++i) {
    const std::string key(keys.root().at(i).text().value_or(""));
    const auto reference = references.find(key);
    if (reference == references.end()) {
      refuse(fmt::format("its storage {} is never used", in_quotes(key)));
    }
    const uint64_t count = cursor.number(8);
    const uint64_t element = reference->second.dtype ? size_of(*reference->second.dtype) : 1;
    if (count > cursor.left() / element) {
      refuse(fmt::format("its storage {} claims {} elements and {} bytes are left", in_quotes(key),
                         count, cursor.left()));
    }
    storages_[key] = {.bytes = cursor.take(count * element)};
  }
}

void TorchFile::check_storage(const std::string& key) const {
  const auto found = storages_.find(key);
  if (found != storages_.end() && found->second.entry != nullptr) {
    check_stored(*found->second.entry, source_);
  }
}

void TorchFile::refuse(std::string_view problem) const {
  throw Error(
      ErrorKind::input,
      fmt::format("cannot read {} as a PyTorch checkpoint: {}", in_quotes(source_), problem),
      "check that it is a file of torch.save, and download or save it again");
}

}  // namespace eqm
