#include "eqm/draw/image_grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/base/error.h"

namespace eqm::draw {
namespace {

constexpr int kWidthToSee = 112;    // pixels that show a small picture well
constexpr int kLeastWidth = 56;     // below, details are lost
constexpr int kWidestGrid = 1400;   // pixels that fit a screen side by side
constexpr int kTallestGrid = 2400;  // and above each other, with some scrolling
constexpr double kMargin = 16;      // around everything
constexpr double kLabelSize = 12;   // of the type
constexpr double kCaptionSize = 10;
constexpr double kCaptionLine = 13;  // height
constexpr double kCaptionRest = 4;   // below the last line
constexpr double kSmallestType = 8;  // column labels shrink no further before they are squeezed
constexpr double kTitleRoom = 28;
constexpr double kLabelRoom = 20;     // above the pictures
constexpr double kLabelGap = 9;       // between row labels and pictures
constexpr double kMostLabel = 160;    // wider row labels are set smaller
constexpr double kBaseline = 0.36;    // of the type size: centres letters on a line
constexpr int kMostPictures = 10000;  // more would be too small to see on the largest canvas

constexpr TextStyle kTitleStyle{.size = 14, .bold = true};

[[noreturn]] void refuse_grid(const std::string& sentence, const std::string& hint) {
  throw Error(ErrorKind::usage, sentence, hint);
}

// Where everything goes, in canvas pixels.
struct Layout {
  int columns = 0, rows = 0;
  double cell_width = 0, cell_height = 0;  // of a picture
  double words = 0;                        // height of the captions below it
  double left = 0, top = 0;                // of the first picture
  double gap = 0;
  double column_type = kLabelSize;

  Rect cell(int row, int column) const {
    return {left + column * (cell_width + gap), top + row * (cell_height + words + gap), cell_width,
            cell_height};
  }
};

void check(std::span<const Pixels> pictures, const GridOptions& options) {
  if (pictures.empty()) refuse_grid("a grid needs pictures", "give at least one");
  if (pictures.size() > kMostPictures) {
    refuse_grid(fmt::format("{} pictures are too many for a grid", pictures.size()),
                fmt::format("show {} at most", kMostPictures));
  }
  const Pixels& first = pictures.front();
  for (const Pixels& picture : pictures) {
    if (picture.width == first.width && picture.height == first.height && picture.width > 0 &&
        picture.height > 0) {
      continue;
    }
    refuse_grid(fmt::format("a picture of {} by {} pixels does not fit a grid of {} by {}",
                            picture.width, picture.height, first.width, first.height),
                "all pictures of a grid have one size");
  }
  if (options.columns < 0 || options.gap < 0 || options.zoom < 0) {
    refuse_grid(fmt::format("a grid cannot have {} columns, gaps of {} and zoom {}",
                            options.columns, options.gap, options.zoom),
                "none of them is negative");
  }
  if (!options.captions.empty() && options.captions.size() != pictures.size()) {
    refuse_grid(
        fmt::format("{} captions for {} pictures", options.captions.size(), pictures.size()),
        "give one caption to each picture, or none");
  }
}

int columns_of(std::size_t pictures, const GridOptions& options) {
  if (options.columns > 0) return options.columns;
  if (!options.column_labels.empty()) return static_cast<int>(options.column_labels.size());
  return static_cast<int>(std::ceil(std::sqrt(static_cast<double>(pictures))));
}

void check_labels(const std::vector<std::string>& labels, int count, const char* what) {
  if (labels.empty() || labels.size() == static_cast<std::size_t>(count)) return;
  refuse_grid(fmt::format("{} labels for {} {}", labels.size(), count, what),
              fmt::format("give one label to each of the {}, or none", what));
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) {
    width = std::max(width, text_width(label, {.size = kLabelSize}));
  }
  return width;
}

Layout layout_of(std::span<const Pixels> pictures, const GridOptions& options) {
  Layout layout;
  layout.columns = columns_of(pictures.size(), options);
  const int count = static_cast<int>(pictures.size());
  layout.rows = (count - 1) / layout.columns + 1;
  check_labels(options.row_labels, layout.rows, "rows");
  check_labels(options.column_labels, layout.columns, "columns");
  const Pixels& first = pictures.front();
  const double zoom = options.zoom > 0 ? options.zoom
                                       : grid_zoom(first.width, first.height,
                                                   std::min(layout.columns, count), layout.rows);
  layout.cell_width = zoom * first.width;
  layout.cell_height = zoom * first.height;
  layout.gap = options.gap;
  std::size_t lines = 0;
  for (const auto& caption : options.captions) lines = std::max(lines, caption.size());
  if (lines > 0) layout.words = kCaptionLine * static_cast<double>(lines) + kCaptionRest;
  layout.left = kMargin;
  if (!options.row_labels.empty()) {
    layout.left += std::ceil(std::min(widest(options.row_labels), kMostLabel)) + kLabelGap;
  }
  layout.top = kMargin;
  if (!options.title.empty()) layout.top += kTitleRoom;
  if (!options.column_labels.empty()) {
    layout.top += kLabelRoom;
    // One size for all: the widest label decides.
    const double room = layout.cell_width + std::max(0.0, layout.gap - 4);
    const double wide = std::max(widest(options.column_labels), 1.0);
    layout.column_type = std::clamp(kLabelSize * room / wide, kSmallestType, kLabelSize);
  }
  return layout;
}

// Wide enough for the title.
Canvas canvas_for(const Layout& layout, const GridOptions& options) {
  const Rect last = layout.cell(layout.rows - 1, layout.columns - 1);
  const double title = std::ceil(text_width(options.title, kTitleStyle));
  const double right = std::max(last.right(), layout.left + title) + kMargin;
  const double bottom = last.bottom() + layout.words + kMargin;
  const double limit = 1e9;  // far beyond what a canvas takes; it says so itself
  return Canvas(static_cast<int>(std::min(right, limit)),
                static_cast<int>(std::min(bottom, limit)));
}

void draw_words(Canvas& canvas, const Layout& layout, const GridOptions& options) {
  canvas.text({layout.left, kMargin + kTitleStyle.size}, options.title, kTitleStyle);
  for (std::size_t k = 0; k < options.column_labels.size(); ++k) {
    const Rect cell = layout.cell(0, static_cast<int>(k));
    canvas.text({cell.centre().x, layout.top - 8}, options.column_labels[k],
                {.colour = kMuted,
                 .size = layout.column_type,
                 .align = Align::centre,
                 .max_width = layout.cell_width + layout.gap});
  }
  for (std::size_t k = 0; k < options.row_labels.size(); ++k) {
    const Rect cell = layout.cell(static_cast<int>(k), 0);
    canvas.text(
        {layout.left - kLabelGap, cell.centre().y + kBaseline * kLabelSize}, options.row_labels[k],
        {.colour = kMuted, .size = kLabelSize, .align = Align::right, .max_width = kMostLabel});
  }
}

void draw_caption(Canvas& canvas, Rect cell, const std::vector<std::string>& lines) {
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const double middle = cell.bottom() + (static_cast<double>(k) + 0.5) * kCaptionLine;
    canvas.text(
        {cell.centre().x, middle + kBaseline * kCaptionSize}, lines[k],
        {.colour = kMuted, .size = kCaptionSize, .align = Align::centre, .max_width = cell.width});
  }
}

}  // namespace

int grid_zoom(int width, int height, int columns, int rows) {
  if (width < 1 || height < 1) return 1;
  const auto nearest = [width](int seen) { return std::max(1, (seen + width / 2) / width); };
  const double across = kWidestGrid / (static_cast<double>(std::max(1, columns)) * width);
  const double down = kTallestGrid / (static_cast<double>(std::max(1, rows)) * height);
  const auto room = static_cast<int>(std::min({across, down, 1e6}));
  return std::max(std::min(nearest(kWidthToSee), room), nearest(kLeastWidth));
}

Canvas image_grid(std::span<const Pixels> pictures, const GridOptions& options) {
  check(pictures, options);
  const Layout layout = layout_of(pictures, options);
  Canvas canvas = canvas_for(layout, options);
  draw_words(canvas, layout, options);
  for (std::size_t k = 0; k < pictures.size(); ++k) {
    const int at = static_cast<int>(k);
    const Rect cell = layout.cell(at / layout.columns, at % layout.columns);
    canvas.image(cell, pictures[k], Sampling::nearest);
    if (!options.captions.empty()) draw_caption(canvas, cell, options.captions[k]);
  }
  return canvas;
}

}  // namespace eqm::draw
