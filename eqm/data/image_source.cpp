#include "eqm/data/image_source.h"

#include <utility>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/data/evenly.h"
#include "eqm/data/pixels.h"

namespace eqm {
namespace {

// Enough to find a coloured image in any set where they are not rare.
constexpr int64_t kProbedImages = 16;

// A call to the system each: what a network drive answers within a second.
constexpr int64_t kSizedFiles = 1024;

class ImageSource : public Source {
 public:
  ImageSource(std::unique_ptr<ImageFiles> files, const std::vector<std::string>& paths,
              const std::string& source, const ImageSourceOptions& options)
      : files_(std::move(files)),
        arrangement_(arrange_images(paths, options.split, source)),
        channels_(options.channels != 0 ? options.channels : probe_channels()),
        fingerprint_(hash(paths)) {
    if (options.channels != 0 && options.notice) tell_of_colours(options.notice);
  }

  int64_t size() const override { return static_cast<int64_t>(arrangement_.order.size()); }

  Example get(int64_t index) const override {
    const Image image = files_->decode(file_of(index));
    const std::vector<int64_t>& labels = arrangement_.labels;
    return example_from_image(image, channels_,
                              labels.empty() ? kNoLabel : labels[static_cast<size_t>(index)]);
  }

  std::string name_of(int64_t index) const override { return files_->name_of(file_of(index)); }

  const std::vector<std::string>& class_names() const override { return arrangement_.classes; }

  uint64_t fingerprint() const override { return fingerprint_; }

 private:
  size_t file_of(int64_t index) const {
    check_index(index, size());
    return arrangement_.order[static_cast<size_t>(index)];
  }

  // Whether any of a few files is so. Damaged ones say nothing here; they are reported when they
  // are asked for.
  template <class Test>
  bool any_image(const Test& test) const {
    for (const int64_t index : evenly_spaced(size(), kProbedImages)) {
      try {
        if (test(file_of(index))) return true;
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
      }
    }
    return false;
  }

  // Decodes nothing.
  bool any_has_channels() const {
    return any_image([&](size_t file) { return files_->header(file).channels != 1; });
  }

  bool any_is_coloured() const {
    return any_image([&](size_t file) {
      return files_->header(file).channels != 1 && is_coloured(files_->decode(file));
    });
  }

  int64_t probe_channels() const { return any_has_channels() ? 3 : 1; }

  void tell_of_colours(const ColourNotice& notice) const {
    if (channels_ == 1 && any_is_coloured()) notice(ColourChange::dropped);
    if (channels_ == 3 && !any_has_channels()) notice(ColourChange::repeated);
  }

  uint64_t hash(const std::vector<std::string>& paths) const {
    Hash hash;
    hash.add("images").add(channels_);
    for (const size_t file : arrangement_.order) hash.add(paths[file]);
    for (const int64_t label : arrangement_.labels) hash.add(label);
    for (const std::string& name : arrangement_.classes) hash.add(name);
    for (const int64_t index : evenly_spaced(size(), kSizedFiles)) {
      hash.add(files_->bytes_of(file_of(index)));
    }
    return hash.value();
  }

  std::unique_ptr<ImageFiles> files_;
  Arrangement arrangement_;
  int64_t channels_;
  uint64_t fingerprint_;
};

}  // namespace

SourcePtr image_source(std::unique_ptr<ImageFiles> files, const std::vector<std::string>& paths,
                       const std::string& source, const ImageSourceOptions& options) {
  return std::make_shared<ImageSource>(std::move(files), paths, source, options);
}

}  // namespace eqm
