// The formats that data are read from, one row each: how a file or folder of it is recognised, how
// it is opened, and its help. open_path.h, the help of options, `eqm list
// formats` and the hint about files that are none of them all come from these rows.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "eqm/data/image_source.h"
#include "eqm/data/source.h"
#include "eqm/io/file_kind.h"

namespace eqm {

struct DataFormat {
  std::string_view name;
  std::string_view what;  // as an item of a list: "IDX files"
  std::string_view help;  // a line about it

  // A file is recognised by the ending of its name, if the format has no content to tell it by, or
  // else by its contents. Unknown and empty: there are no such files, only folders.
  FileKind file_kind = FileKind::unknown;
  std::string_view file_ending = {};
  SourcePtr (*open_file)(const std::filesystem::path& file, const ImageSourceOptions& options) = {};
  bool file_has_parts = false;  // one file may hold a training and a test part

  // Endings of the files train.* and test.* that a folder may hold in place of its parts.
  std::vector<std::string_view> part_endings = {};

  // Null: there are no such folders. What no format recognises is a folder of images.
  bool (*is_folder)(const std::filesystem::path& folder) = {};
  SourcePtr (*open_folder)(const std::filesystem::path& folder,
                           const ImageSourceOptions& options) = {};
};

// In the order in which they are tried.
const std::vector<DataFormat>& data_formats();

// "IDX files, CIFAR-10 binaries, ... or latents": what can be read.
std::string readable_formats();

// Of a set called "train": what its test part may be called, in its place.
const std::vector<std::string>& test_part_names();

// The file or folder beside one with "train" in its name that has the name of a test part in that
// place; empty when there is none.
std::filesystem::path test_part_beside(const std::filesystem::path& path);

}  // namespace eqm
