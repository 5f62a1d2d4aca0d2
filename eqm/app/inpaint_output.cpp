#include "eqm/app/inpaint_output.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "eqm/codec/pictures.h"
#include "eqm/descend/denoise.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/sample_npz.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostInpaintedShown = 16;  // in the grid

// Missing elements are 0: mid-grey of pixels.
State masked_state(State state, const std::vector<bool>& known) {
  for (size_t i = 0; i < state.size(); ++i) {
    if (!known[i]) state[i] = 0;
  }
  return state;
}

Tensor empty_states(const Model& model, int64_t count) {
  Shape shape = model.backbone->state_shape();
  shape.insert(shape.begin(), count);
  return torch::zeros(shape, torch::kFloat64);
}

// A column for each image that has fillings, a row for each stage.
Image inpaint_grid(const std::vector<GivenImage>& given, const std::vector<FilledImage>& filled,
                   const InpaintFigures& about) {
  std::map<int64_t, int64_t> columns;  // of images
  for (const FilledImage& one : filled) {
    if (static_cast<int64_t>(columns.size()) == kMostInpaintedShown) break;
    columns.emplace(one.image, static_cast<int64_t>(columns.size()));
  }
  const auto width = static_cast<int64_t>(columns.size());
  std::vector<std::string> names = {"given", "masked"};
  for (int64_t fill = 0; fill < about.fills; ++fill) {
    names.push_back(about.fills == 1 ? "filled" : fmt::format("filled {}", fill + 1));
  }
  Tensor states = empty_states(about.model, width * static_cast<int64_t>(names.size()));
  for (const auto& [image, column] : columns) {
    const State& whole = given[static_cast<size_t>(image)].state;
    put_state(whole, states, column);
    put_state(masked_state(whole, about.known), states, width + column);
  }
  for (const FilledImage& one : filled) {
    const auto column = columns.find(one.image);
    if (column != columns.end()) {
      put_state(one.state, states, (2 + one.fill) * width + column->second);
    }
  }
  return picture_grid(states, about.codec, width, names, "");
}

Image picture_of_state(const State& state, const InpaintFigures& about) {
  Tensor one = empty_states(about.model, 1);
  put_state(state, one, 0);
  return pictures_of(one, about.codec).front();
}

void write_given(const std::filesystem::path& folder, const std::vector<GivenImage>& given,
                 const InpaintFigures& about) {
  for (const char* stage : {"given", "masked"}) {
    const bool masked = std::string_view(stage) == "masked";
    create_folder(folder / stage);
    for (const GivenImage& image : given) {
      PngText text = about.origin;
      text.emplace_back("Stage", stage);
      text.emplace_back("Source", image.source);
      const State state = masked ? masked_state(image.state, about.known) : image.state;
      write_png(folder / stage / fmt::format("{:06}.png", image.number),
                picture_of_state(state, about), text);
    }
  }
}

void write_filled(const std::filesystem::path& folder, const std::vector<GivenImage>& given,
                  const std::vector<FilledImage>& filled, const InpaintFigures& about) {
  create_folder(folder / "filled");
  for (const FilledImage& one : filled) {
    const GivenImage& image = given[static_cast<size_t>(one.image)];
    PngText text = about.origin;
    text.emplace_back("Stage", "filled");
    text.emplace_back("Source", image.source);
    const std::string name = about.fills == 1 ? fmt::format("{:06}.png", image.number)
                                              : fmt::format("{:06}-{}.png", image.number, one.fill);
    write_png(folder / "filled" / name, picture_of_state(one.state, about), text);
  }
}

void write_filled_npz(const std::vector<GivenImage>& given, const std::vector<FilledImage>& filled,
                      const InpaintFigures& about) {
  SampleNpz npz(about.npz, ZipMethod::stored);
  const bool labelled = std::ranges::all_of(filled, [&](const FilledImage& one) {
    return given[static_cast<size_t>(one.image)].label >= 0;
  });
  for (const FilledImage& one : filled) {
    const int64_t label = given[static_cast<size_t>(one.image)].label;
    npz.add(picture_of_state(one.state, about),
            labelled ? std::optional<int64_t>(label) : std::nullopt);
  }
  npz.commit();
}

void write_inpaint_table(const std::filesystem::path& file, const std::vector<GivenImage>& given,
                         const std::vector<FilledImage>& filled, const InpaintFigures& about) {
  std::vector<std::string> columns = {"image", "source", "fill", "steps"};
  if (about.psnr) columns.emplace_back("psnr_missing");
  std::vector<CsvRecord> rows;
  for (const FilledImage& one : filled) {
    const GivenImage& image = given[static_cast<size_t>(one.image)];
    rows.push_back({std::to_string(image.number), image.source, std::to_string(one.fill),
                    std::to_string(one.record.steps)});
    if (about.psnr) {
      rows.back().push_back(fmt::format("{}", psnr_of_missing(one.state, image.state, about)));
    }
  }
  write_csv_records(file, columns, rows);
}

}  // namespace

double psnr_of_missing(const State& filled, const State& given, const InpaintFigures& about) {
  const auto count = static_cast<size_t>(std::ranges::count(about.known, false));
  State one(count), other(count);
  size_t place = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (about.known[i]) continue;
    one[place] = filled[i];
    other[place++] = given[i];
  }
  return psnr(one, other, 255 / about.model.scaling.unit);
}

std::vector<std::string> write_inpainted(const std::filesystem::path& folder,
                                         const std::vector<GivenImage>& given,
                                         const std::vector<FilledImage>& filled,
                                         const InpaintFigures& about) {
  write_inpaint_table(folder / "inpaint.csv", given, filled, about);
  write_png(folder / "inpaint.png", inpaint_grid(given, filled, about), about.origin);
  std::vector<std::string> written = {"inpaint.png", "inpaint.csv"};
  if (about.pictures) {
    write_given(folder, given, about);
    write_filled(folder, given, filled, about);
    written.insert(written.end(), {"given/", "masked/", "filled/"});
  }
  if (!about.npz.empty()) write_filled_npz(given, filled, about);
  return written;
}

}  // namespace eqm::app
