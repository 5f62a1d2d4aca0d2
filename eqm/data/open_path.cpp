#include "eqm/data/open_path.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include "eqm/base/error.h"
#include "eqm/data/cifar_source.h"
#include "eqm/data/folder_source.h"
#include "eqm/data/idx_source.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/latents.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/npz_source.h"
#include "eqm/data/tar_source.h"
#include "eqm/data/tensor_source.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTestNames = {"test", "t10k", "val", "valid", "validation"};
constexpr std::array kPartEndings = {".tar", ".tar.gz", ".tgz", ".safetensors", ".npz"};

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// "train.tar.gz" and the like.
std::optional<fs::path> part_in(const fs::path& folder, Split split) {
  std::vector<std::string> names = {"train"};
  if (split == Split::test) names.assign(kTestNames.begin(), kTestNames.end());
  for (const std::string& name : names) {
    for (const char* ending : kPartEndings) {
      if (is_there(folder / (name + ending))) return folder / (name + ending);
    }
  }
  return std::nullopt;
}

std::optional<fs::path> test_file_beside(const fs::path& path) {
  constexpr std::string_view kTrain = "train";
  const std::string own = path.filename().string();
  const size_t at = own.rfind(kTrain);
  if (at == std::string::npos) return std::nullopt;
  for (const char* other : kTestNames) {
    std::string name = own;
    name.replace(at, kTrain.size(), other);
    if (is_there(path.parent_path() / name)) return path.parent_path() / name;
  }
  return std::nullopt;
}

[[noreturn]] void refuse_path(const fs::path& path, std::string_view problem,
                              const std::string& hint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(path.string()), problem), hint);
}

SourcePtr open_file(const fs::path& path, const ImageSourceOptions& options) {
  ImageSourceOptions whole = options;
  whole.split = Split::train;
  if (options.split == Split::test) {
    if (const auto test = test_file_beside(path)) return open_file(*test, whole);
  }
  // By its name alone: these batches are nothing but labels and pixels, which may look like
  // anything.
  const bool is_cifar = path.extension() == ".bin";
  const FileKind kind = is_cifar ? FileKind::unknown : kind_of_file(path);
  if (kind == FileKind::tar) return open_tar_source(path, options);
  if (kind == FileKind::picture) {
    refuse_path(path, "is one picture, not a set", "name the folder it is in");
  }
  if (kind == FileKind::unknown && !is_cifar) {
    refuse_path(
        path, "is not a data set that can be read",
        "IDX, CIFAR-10's .bin, tars of PNG or JPEG, safetensors and .npz can, the first and the "
        "tars gzipped, too");
  }
  if (options.split == Split::test) {
    throw MissingPart(in_quotes(path.string()) + " has no test part", "name its file itself");
  }
  if (is_cifar) return open_cifar_file(path);
  if (kind == FileKind::zip) return open_npz_source(path);
  return kind == FileKind::idx ? open_idx_file(path) : open_tensor_source(path);
}

// Parts are folders side by side.
SourcePtr open_latent_folder(const fs::path& path, Split split) {
  if (split == Split::train) return open_latents(path);
  if (const auto test = test_file_beside(path); test && has_latents(*test)) {
    return open_latents(*test);
  }
  throw MissingPart(in_quotes(path.string()) + " has no test part", "name its folder itself");
}

SourcePtr open_folder(const fs::path& path, const ImageSourceOptions& options) {
  for (const fs::path& folder : {path / "train", path}) {
    if (has_latents(folder)) return open_latent_folder(folder, options.split);
  }
  if (find_idx_images(path, Split::train) || find_idx_images(path, Split::test)) {
    return open_idx_folder(path, options.split);
  }
  if (is_cifar_folder(path)) return open_cifar_folder(path, options.split);
  if (const auto part = part_in(path, options.split)) {
    ImageSourceOptions whole = options;
    whole.split = Split::train;
    return open_file(*part, whole);
  }
  return open_folder_source(path, options);
}

}  // namespace

SourcePtr open_path(const fs::path& path, const ImageSourceOptions& options) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw io_error_from_errno("open", path.string());
  if (!S_ISDIR(status.st_mode)) return open_file(path, options);
  return open_folder(path.has_filename() ? path : path.parent_path(), options);  // without a slash
}

}  // namespace eqm
