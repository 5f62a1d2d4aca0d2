#include "eqm/data/cifar_source.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/class_names.h"
#include "eqm/data/join_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/packed_source.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> batches_of(Split split) {
  if (split == Split::test) return {"test_batch.bin"};
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back(fmt::format("data_batch_{}.bin", i));
  return names;
}

std::vector<std::string> class_names_in(const fs::path& folder) {
  const fs::path meta = folder / "batches.meta.txt";
  std::error_code ignored;
  if (!fs::exists(meta, ignored)) {
    return {"airplane", "automobile", "bird",  "cat",  "deer",
            "dog",      "frog",       "horse", "ship", "truck"};
  }
  const std::string hint = "expected one name per line; remove the file to use those of CIFAR-10";
  std::vector<std::string> names = read_class_names(meta, hint);
  if (names.size() > 256) {  // a label is one byte
    throw Error(ErrorKind::input, in_quotes(meta.string()) + " is not a list of class names", hint);
  }
  return names;
}

SourcePtr open_batch(const fs::path& path, std::vector<std::string> classes) {
  auto file = std::make_shared<const MappedFile>(MappedFile::open(path));
  const std::span<const std::byte> bytes = file->bytes();
  if (bytes.empty() || bytes.size() % kCifarRecord != 0) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} bytes, which is not a number of CIFAR-10 records of {}",
                            in_quotes(path.string()), bytes.size(), kCifarRecord),
                "the file is damaged or of another format; download it again");
  }
  const size_t count = bytes.size() / kCifarRecord;
  std::vector<int64_t> labels;
  labels.reserve(count);
  for (size_t at = 0; at < bytes.size(); at += kCifarRecord) {
    labels.push_back(std::to_integer<int64_t>(bytes[at]));
  }
  return packed_source({.file = path.string(),
                        .dtype = Dtype::u8,
                        .shape = {3, 32, 32},
                        .count = static_cast<int64_t>(count),
                        .bytes = bytes,
                        .offset = 1,
                        .labels = std::move(labels),
                        .classes = std::move(classes),
                        .owner = file});
}

}  // namespace

bool is_cifar_folder(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "data_batch_1.bin", ignored) ||
         fs::exists(folder / "test_batch.bin", ignored);
}

SourcePtr open_cifar_folder(const fs::path& folder, Split split) {
  const std::vector<std::string> classes = class_names_in(folder);
  std::vector<SourcePtr> parts;
  for (const std::string& name : batches_of(split)) {
    std::error_code ignored;
    if (!fs::exists(folder / name, ignored)) {
      throw MissingPart(fmt::format("{} lacks {}", in_quotes(folder.string()), name),
                        "CIFAR-10 has data_batch_1.bin to data_batch_5.bin and test_batch.bin");
    }
    parts.push_back(open_batch(folder / name, classes));
  }
  return join_source(std::move(parts));
}

SourcePtr open_cifar_file(const fs::path& path) {
  return open_batch(path, class_names_in(path.parent_path()));
}

}  // namespace eqm
