#include "eqm/data/tar_source.h"

#include <string>
#include <utility>
#include <vector>

#include "eqm/io/archive.h"

namespace eqm {
namespace {

class TarFiles : public ImageFiles {
 public:
  TarFiles(TarFile tar, std::string path) : tar_(std::move(tar)), path_(std::move(path)) {}

  Image decode(size_t file) const override { return decode_image(tar_.bytes(file), name_of(file)); }

  ImageHeader header(size_t file) const override {
    return read_image_header(tar_.bytes(file), name_of(file));
  }

  std::string name_of(size_t file) const override {
    return path_ + ": " + tar_.entries()[file].name;
  }

  uint64_t bytes_of(size_t file) const override { return tar_.bytes(file).size(); }

 private:
  TarFile tar_;
  std::string path_;
};

}  // namespace

SourcePtr open_tar_source(const std::filesystem::path& path, const ImageSourceOptions& options) {
  TarFile tar = TarFile::open(path);
  std::vector<std::string> paths;
  paths.reserve(tar.entries().size());
  for (const TarEntry& entry : tar.entries()) paths.push_back(entry.name);
  return image_source(std::make_unique<TarFiles>(std::move(tar), path.string()), paths,
                      path.string(), options);
}

}  // namespace eqm
