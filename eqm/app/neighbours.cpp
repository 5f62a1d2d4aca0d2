#include "eqm/app/neighbours.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "eqm/app/neighbour_figure.h"
#include "eqm/app/open_images.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/codec/states.h"
#include "eqm/data/batch.h"
#include "eqm/data/layout.h"
#include "eqm/data/pick_source.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/io/text.h"
#include "eqm/landscape/scaling.h"

namespace eqm::app {
namespace {

constexpr int64_t kSearchNumbers = int64_t{1} << 22;  // of a batch: 16 MB in float32
constexpr int64_t kMostSearchRows = 1024;             // of a batch
constexpr size_t kMostShownPictures = 64;             // pictures of the figure

SourcePtr open_queries(const NeighbourOptions& options) {
  if (options.pictures.empty()) {
    throw Error(ErrorKind::usage, "no pictures were given", "name a folder by {pictures}");
  }
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no data were given", "name a set by {data}");
  }
  const SourcePtr all = open_unseen(options.pictures, {.size = options.size});
  const Layout layout = layout_of(*all);
  const bool grey_or_colour =
      layout.shape.size() == 3 && (layout.shape[0] == 1 || layout.shape[0] == 3);
  if (layout.dtype != Dtype::u8 || !grey_or_colour) {
    throw Error(
        ErrorKind::input,
        fmt::format("{} holds {}, not pictures", in_quotes(options.pictures), describe(layout)),
        "name a folder of PNG files, such as sampling writes");
  }
  return pick_source(all, choose_examples(all->size(), options.count).chosen);
}

// With images like the pictures.
SourcePtr open_searched(const NeighbourOptions& options, const Source& pictures,
                        const std::shared_ptr<Logger>& log) {
  const Layout wanted = layout_of(pictures);
  const bool is_square = wanted.shape[1] == wanted.shape[2];
  const SourcePtr data =
      open_images(options.data, {.split = options.part,
                                 .channels = wanted.shape[0],
                                 .size = is_square ? wanted.shape[1] : 0,
                                 .notice = colour_warning(options.data, "the pictures", log)});
  const Layout found = layout_of(*data);
  if (found == wanted) return data;
  throw Error(ErrorKind::input,
              fmt::format("{} holds {}, and the pictures are {}", in_quotes(options.data),
                          describe(found), describe(wanted)),
              "give {size} to bring both to one size");
}

// Nothing when the host asks for a stop.
std::vector<std::vector<Neighbour>> nearest_in(const Source& data, const Source& pictures,
                                               int64_t k, const torch::TensorOptions& type,
                                               Host& host) {
  const auto states = [&](const Batch& batch) { return states_of(batch, Scaling::pixels(), type); };
  const Tensor queries = states(read_batch(pictures, 0, pictures.size()));
  const int64_t numbers = queries.numel() / queries.size(0);
  const int64_t rows = std::clamp<int64_t>(kSearchNumbers / numbers, 1, kMostSearchRows);
  NeighbourSearch search(queries, k);
  host.progress().begin("searching", data.size(), "images");
  bool stopped = false;
  for (int64_t first = 0; first < data.size() && !stopped; first += rows) {
    const Batch batch = read_batch(data, first, std::min(rows, data.size() - first));
    search.add(states(batch), batch.indices);
    host.progress().update(first + batch.shape[0], "");
    stopped = first + rows < data.size() && host.stop_requested();
  }
  host.progress().end();
  if (stopped) return {};
  return search.nearest();
}

}  // namespace

void NeighbourOptions::declare(OptionSet& options) {
  options.text("pictures", pictures, "a folder of pictures, or any data set (its test part)");
  options.text("data", data, "data set to search, by name or path");
  options.choice("part", part, split_names(), "part of the data to search");
  options.count("k", k, Range::between(1, 100), "neighbours per picture");
  options.count("count", count, Range::between(1, 10000),
                "maximum number of pictures, chosen at random from those given");
  options.count(
      "size", size, Range::between(0, 8192),
      "crops and scales all images to this height and width; 0 takes that of the pictures");
  options.text("out", out, "folder for the figure and the table");
  runtime.declare(options);
}

NeighbourResult run(const NeighbourOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  NeighbourResult result;
  Findings& findings = result.findings;
  findings.pictures = open_queries(options);
  findings.data = open_searched(options, *findings.pictures, host.log());
  const OutputFolder folder(options.out);
  host.begin_stoppable_work();
  findings.nearest = nearest_in(*findings.data, *findings.pictures, options.k, type, host);
  if (findings.nearest.empty()) {
    host.log()->warn("interrupted: nothing is written to {}", options.out);
    result.stopped = true;
    return result;
  }
  const std::filesystem::path out = options.out;
  write_csv_records(out / "neighbours.csv", neighbour_header(), neighbour_records(findings));
  write_png(
      out / "neighbours.png",
      neighbour_figure(neighbour_rows(findings, kMostShownPictures),
                       "Nearest images in " + options.data),
      {{"Software", software_name()}, {"Pictures", options.pictures}, {"Data", options.data}});
  result.files = {"neighbours.png", "neighbours.csv"};
  announce(host, out, result.files);
  return result;
}

}  // namespace eqm::app
