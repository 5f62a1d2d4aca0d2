#include "eqm/data/formats.h"

#include <system_error>

#include <fmt/format.h>

#include "eqm/data/cifar_source.h"
#include "eqm/data/idx_source.h"
#include "eqm/data/latent_manifest.h"
#include "eqm/data/latents.h"
#include "eqm/data/mat_source.h"
#include "eqm/data/missing_part.h"
#include "eqm/data/npz_source.h"
#include "eqm/data/tar_source.h"
#include "eqm/data/tensor_source.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// The latents themselves, or those of the training part beside others.
fs::path latent_folder(const fs::path& folder) {
  return has_latents(folder / "train") ? folder / "train" : folder;
}

// Parts are folders side by side.
SourcePtr open_latent_folder(const fs::path& folder, const ImageSourceOptions& options) {
  const fs::path training = latent_folder(folder);
  if (options.split == Split::train) return open_latents(training);
  const fs::path test = test_part_beside(training);
  if (!test.empty() && has_latents(test)) return open_latents(test);
  throw MissingPart(in_quotes(training.string()) + " has no test part", "name its folder itself");
}

}  // namespace

const std::vector<DataFormat>& data_formats() {
  static const std::vector<DataFormat> formats = {
      {.name = "latents",
       .what = "a folder of `eqm encode`",
       .help = "pictures as posteriors of an autoencoder: a folder that `eqm encode` wrote",
       .is_folder = [](const fs::path& folder) { return has_latents(latent_folder(folder)); },
       .open_folder = open_latent_folder},
      {.name = "idx",
       .what = "IDX files",
       .help = "grey images as MNIST has them, gzipped or not: a folder, or the file of images",
       .file_kind = FileKind::idx,
       .open_file = [](const fs::path& file,
                       const ImageSourceOptions&) { return open_idx_file(file); },
       .is_folder =
           [](const fs::path& folder) {
             return find_idx_images(folder, Split::train) || find_idx_images(folder, Split::test);
           },
       .open_folder =
           [](const fs::path& folder, const ImageSourceOptions& options) {
             return open_idx_folder(folder, options.split);
           }},
      {.name = "cifar-10",
       .what = "CIFAR-10 binaries",
       .help = "batches of 32x32 images and labels (.bin): a folder, or one batch",
       .file_ending = ".bin",  // nothing but labels and pixels, which may look like anything
       .open_file = [](const fs::path& file,
                       const ImageSourceOptions&) { return open_cifar_file(file); },
       .is_folder = is_cifar_folder,
       .open_folder =
           [](const fs::path& folder, const ImageSourceOptions& options) {
             return open_cifar_folder(folder, options.split);
           }},
      {.name = "svhn",
       .what = "SVHN's .mat files",
       .help = "images as MATLAB has SVHN's cropped digits (X, y): a folder, or one file",
       .file_kind = FileKind::mat,
       .open_file = [](const fs::path& file,
                       const ImageSourceOptions&) { return open_mat_source(file); },
       .is_folder = is_svhn_folder,
       .open_folder =
           [](const fs::path& folder, const ImageSourceOptions& options) {
             return open_svhn_folder(folder, options.split);
           }},
      {.name = "images",
       .what = "a folder or tar of PNG or JPEG images",
       .help = "PNG or JPEG, a folder per class or none, as Textures has them: a folder, or a tar, "
               "gzipped or not",
       .file_kind = FileKind::tar,
       .open_file = open_tar_source,
       .file_has_parts = true,
       .part_endings = {".tar", ".tar.gz", ".tgz"}},
      {.name = "safetensors",
       .what = "a safetensors of tensors",
       .help =
           "pixels, vectors or latents as the tensor x, and their labels: a file, or train.* and "
           "test.* in a folder",
       .file_kind = FileKind::safetensors,
       .open_file = [](const fs::path& file,
                       const ImageSourceOptions&) { return open_tensor_source(file); },
       .part_endings = {".safetensors"}},
      {.name = "npz",
       .what = "an .npz of images",
       .help =
           "images as the array arr_0, labels as arr_1, as ADM's scripts write them: a file, or "
           "train.* and test.* in a folder",
       .file_kind = FileKind::zip,
       .open_file = [](const fs::path& file,
                       const ImageSourceOptions&) { return open_npz_source(file); },
       .part_endings = {".npz"}}};
  return formats;
}

std::string readable_formats() {
  std::string text;
  const std::vector<DataFormat>& formats = data_formats();
  for (size_t i = 0; i < formats.size(); ++i) {
    text += i == 0 ? "" : i + 1 < formats.size() ? ", " : " or ";
    text += formats[i].what;
  }
  return text;
}

const std::vector<std::string>& test_part_names() {
  static const std::vector<std::string> names = {"test", "t10k", "val", "valid", "validation"};
  return names;
}

fs::path test_part_beside(const fs::path& path) {
  constexpr std::string_view kTrain = "train";
  const std::string own = path.filename().string();
  const size_t at = own.rfind(kTrain);
  if (at == std::string::npos) return {};
  for (const std::string& other : test_part_names()) {
    std::string name = own;
    name.replace(at, kTrain.size(), other);
    std::error_code ignored;
    if (fs::exists(path.parent_path() / name, ignored)) return path.parent_path() / name;
  }
  return {};
}

}  // namespace eqm
