#include "eqm/data/folder_source.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "eqm/base/error.h"
#include "eqm/io/mapped_file.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// Lists the images below a folder, as paths relative to it.
class Walker {
 public:
  explicit Walker(fs::path root) : root_(std::move(root)) {}

  std::vector<std::string> images() {
    // A list of folders to visit instead of recursion: depth is the file system's to choose.
    std::vector<std::string> pending = {""};
    while (!pending.empty()) {
      const std::string folder = std::move(pending.back());
      pending.pop_back();
      for (std::string& below : visit(folder)) pending.push_back(std::move(below));
    }
    return std::move(images_);
  }

 private:
  // Adds the folder's images and answers its sub-folders, last one first.
  std::vector<std::string> visit(const std::string& relative) {
    const fs::path path = root_ / relative;
    std::vector<std::string> folders;
    if (!is_new(path)) return folders;
    std::error_code error;
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      const std::string name = entry->path().filename().string();
      if (name.starts_with('.')) continue;
      const std::string below = (fs::path(relative) / name).string();
      std::error_code unknown;  // a broken link is no folder
      if (entry->is_directory(unknown)) {
        folders.push_back(below);
      } else if (is_image_name(name)) {
        images_.push_back(below);
      }
    }
    if (error) refuse(path, error.value());
    // Which of two names of one folder is entered must not depend on the file system's order.
    std::sort(folders.rbegin(), folders.rend());
    return folders;
  }

  bool is_new(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) refuse(path, errno);
    return visited_.emplace(status.st_dev, status.st_ino).second;
  }

  [[noreturn]] static void refuse(const fs::path& path, int code) {
    errno = code;
    throw io_error_from_errno("read folder", path.string());
  }

  fs::path root_;
  std::set<std::pair<dev_t, ino_t>> visited_;
  std::vector<std::string> images_;
};

class FolderFiles : public ImageFiles {
 public:
  FolderFiles(fs::path root, std::vector<std::string> paths)
      : root_(std::move(root)), paths_(std::move(paths)) {}

  Image decode(size_t file) const override {
    const fs::path path = root_ / paths_[file];
    return decode_image(MappedFile::open(path).bytes(), path.string());
  }

  ImageHeader header(size_t file) const override {
    const fs::path path = root_ / paths_[file];
    return read_image_header(MappedFile::open(path).bytes(), path.string());
  }

  std::string name_of(size_t file) const override { return (root_ / paths_[file]).string(); }

  uint64_t bytes_of(size_t file) const override {
    std::error_code unknown;
    const uintmax_t size = fs::file_size(root_ / paths_[file], unknown);
    return unknown ? 0 : size;
  }

 private:
  fs::path root_;
  std::vector<std::string> paths_;
};

}  // namespace

SourcePtr open_folder_source(const fs::path& folder, const ImageSourceOptions& options) {
  const std::vector<std::string> paths = Walker(folder).images();
  return image_source(std::make_unique<FolderFiles>(folder, paths), paths, folder.string(),
                      options);
}

}  // namespace eqm
