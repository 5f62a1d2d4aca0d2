#include "eqm/data/open_source.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/nearest.h"
#include "eqm/data/centre_crop.h"
#include "eqm/data/evenly.h"
#include "eqm/data/idx_source.h"
#include "eqm/data/installed_sets.h"
#include "eqm/data/layout.h"
#include "eqm/data/map_source.h"
#include "eqm/data/open_path.h"
#include "eqm/data/pixels.h"
#include "eqm/data/public_sets.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

// Of several sizes in a set a few images will show two.
constexpr int64_t kProbedExamples = 16;

// Beyond what anyone trains on; an image of it is 192 MB as RGB.
constexpr int64_t kMaxSize = 8192;

SourcePtr open_named(const InstalledSet& set, Split split) {
  if (!set.folder.empty()) return open_idx_folder(set.folder, split);
  throw Error(ErrorKind::input, fmt::format("the data set '{}' is not on this machine", set.name),
              set.remedy);
}

SourcePtr open_raw(const std::string& what, const SourceOptions& options) {
  std::vector<std::string> names;
  for (const InstalledSet& set : installed_sets(DataPlaces::from_environment())) {
    if (set.name == what) return open_named(set, options.split);
    names.push_back(set.name);
  }
  std::error_code ignored;
  const bool named = what.find('/') == std::string::npos, known = !how_to_get(what).empty();
  if ((named || known) && !fs::exists(what, ignored)) {
    throw Error(named ? ErrorKind::usage : ErrorKind::io,
                "there is no data set, file or folder " + in_quotes(what),
                known ? how_to_get(what) : suggestion(what, names));
  }
  return open_path(
      what, {.split = options.split, .channels = options.channels, .notice = options.notice});
}

void check(const SourceOptions& options) {
  if (options.channels != 0 && options.channels != 1 && options.channels != 3) {
    throw Error(ErrorKind::usage, fmt::format("images cannot have {} channels", options.channels),
                "choose 1 (grey), 3 (colour) or 0 (as they are)");
  }
  if (options.size < 0 || options.size > kMaxSize) {
    throw Error(ErrorKind::usage, fmt::format("images cannot have size {}", options.size),
                fmt::format("choose a number from 1 to {}, or 0 (as they are)", kMaxSize));
  }
}

void require_pixels(const Layout& layout, const std::string& what) {
  if (layout.dtype == Dtype::u8 && layout.shape.size() == 3) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} holds {}, which is not pixels that have a size and channels",
                          in_quotes(what), describe(layout)),
              "leave out size and channels");
}

void require_grey_or_colour(const Layout& layout, const std::string& what) {
  if (layout.shape[0] == 1 || layout.shape[0] == 3) return;
  throw Error(ErrorKind::input,
              fmt::format("{} holds {}, which is neither grey nor in colour", in_quotes(what),
                          describe(layout)),
              "give images [channels, height, width] of 1 or 3 channels");
}

SourcePtr with_channels(SourcePtr source, int64_t channels) {
  return map_source(
      std::move(source), fmt::format("{} channels", channels), [=](const Example& example) {
        return example_from_image(image_from_planes(example), channels, example.label);
      });
}

// Of sets that hold pixels as they are; encoded images are looked at where they are decoded.
void tell_of_colours(const Source& source, const SourceOptions& options) {
  if (options.channels == 3) return options.notice(ColourChange::repeated);
  for (const int64_t index : evenly_spaced(source.size(), kProbedExamples)) {
    if (is_coloured(image_from_planes(source.get(index)))) {
      return options.notice(ColourChange::dropped);
    }
  }
}

SourcePtr cropped(SourcePtr source, int64_t size) {
  return map_source(std::move(source), fmt::format("centre crop to {}", size),
                    [=](const Example& example) { return centre_crop(example, size); });
}

// Damaged examples are reported when they are asked for.
void probe_sizes(const Source& source, const Layout& layout) {
  for (const int64_t index : evenly_spaced(source.size(), kProbedExamples)) {
    Example example;
    try {
      example = source.get(index);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      continue;
    }
    require_layout(example, layout, source.name_of(index));
  }
}

}  // namespace

SourcePtr open_source(const std::string& what, const SourceOptions& options) {
  check(options);
  SourcePtr source = open_raw(what, options);
  const Layout layout = layout_of(*source);
  if (options.latents && layout.dtype != Dtype::u8) return source;
  if (options.channels != 0 || options.size != 0) require_pixels(layout, what);
  if (options.channels != 0 && layout.shape[0] != options.channels) {
    require_grey_or_colour(layout, what);
    if (options.notice) tell_of_colours(*source, options);
    source = with_channels(std::move(source), options.channels);
  }
  if (options.size != 0) return cropped(std::move(source), options.size);
  if (!options.any_sizes) probe_sizes(*source, layout_of(*source));
  return source;
}

}  // namespace eqm
