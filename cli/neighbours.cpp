// eqm neighbours: the training images nearest to pictures, to see whether a model only remembers.
#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/app/neighbour_figure.h"
#include "eqm/app/neighbour_report.h"
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
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

constexpr int64_t kBatchNumbers = int64_t{1} << 22;  // 16 MB in float32
constexpr int64_t kMostRows = 1024;                  // of a batch
constexpr size_t kMostPictures = 64;                 // pictures of the figure

class Neighbours final : public Verb {
 public:
  std::string name() const override { return "neighbours"; }
  std::string summary() const override {
    return "Finds the training images nearest to pictures, such as a model's samples";
  }
  std::string advice() const override {
    return R"(Distances are mean squared differences of pixels scaled to [-1, 1]: 0 is the same
picture. What is near depends on the data: name a set with a test part as --pictures to see how far
real pictures lie from the training images. The data are read once, batch by batch, and never held
in memory.

Examples:
  eqm neighbours --pictures out/samples/pictures --data fashion-mnist
  eqm neighbours --pictures fashion-mnist --data fashion-mnist --out out/real)";
  }
  std::string positional() const override { return "pictures"; }

  void declare(OptionSet& options) override {
    options.text("pictures", pictures_, "a folder of pictures, or any data set; its test part");
    options.text("data", data_, "the set that is searched, by name or path");
    options.choice("part", split_, split_names(), "the part of the data that is searched");
    options.count("k", k_, Range::between(1, 100), "neighbours of each picture");
    options.count("count", count_, Range::between(1, 10000),
                  "pictures at most, chosen by chance of those given");
    options.count("size", size_, Range::between(0, 8192),
                  "crops and scales all images to size x size; 0 takes that of the pictures");
    options.text("out", out_, "folder for the figure and the table");
    runtime_.declare(options);
  }

  int run(const OptionSet&, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    const SourcePtr pictures = open_pictures();
    const SourcePtr data = open_data(*pictures, host.log());
    const OutputFolder folder(out_);
    const Findings findings = {.pictures = pictures,
                               .data = data,
                               .nearest = search(*pictures, *data, type, host.progress())};
    write(findings);
    std::cout << neighbour_table(findings);
    host.log()->info("wrote neighbours.png and neighbours.csv to {}", out_);
    return 0;
  }

 private:
  SourcePtr open_pictures() const {
    if (pictures_.empty()) {
      throw Error(ErrorKind::usage, "no pictures were given", "use --pictures FOLDER");
    }
    if (data_.empty()) throw Error(ErrorKind::usage, "no data were given", "use --data SET");
    const SourcePtr all = open_unseen(pictures_, {.size = size_});
    const Layout layout = layout_of(*all);
    const bool grey_or_colour =
        layout.shape.size() == 3 && (layout.shape[0] == 1 || layout.shape[0] == 3);
    if (layout.dtype != Dtype::u8 || !grey_or_colour) {
      throw Error(ErrorKind::input,
                  fmt::format("{} holds {}, not pictures", in_quotes(pictures_), describe(layout)),
                  "name a folder of PNG files, such as `eqm sample` writes");
    }
    return pick_source(all, choose_examples(all->size(), count_).chosen);
  }

  // With images like the pictures.
  SourcePtr open_data(const Source& pictures, const std::shared_ptr<Logger>& log) const {
    const Layout wanted = layout_of(pictures);
    const bool is_square = wanted.shape[1] == wanted.shape[2];
    const SourcePtr data =
        open_images(data_, {.split = split_,
                            .channels = wanted.shape[0],
                            .size = is_square ? wanted.shape[1] : 0,
                            .notice = colour_warning(data_, "the pictures", log)});
    const Layout found = layout_of(*data);
    if (found == wanted) return data;
    throw Error(ErrorKind::input,
                fmt::format("{} holds {}, and the pictures are {}", in_quotes(data_),
                            describe(found), describe(wanted)),
                "give --size to bring both to one size");
  }

  std::vector<std::vector<Neighbour>> search(const Source& pictures, const Source& data,
                                             const torch::TensorOptions& type,
                                             Progress& progress) const {
    const auto states = [&](const Batch& batch) {
      return states_of(batch, Scaling::pixels(), type);
    };
    const Tensor queries = states(read_batch(pictures, 0, pictures.size()));
    const int64_t numbers = queries.numel() / queries.size(0);
    const int64_t rows = std::clamp<int64_t>(kBatchNumbers / numbers, 1, kMostRows);
    NeighbourSearch search(queries, k_);
    progress.begin("searching", data.size(), "images");
    for (int64_t first = 0; first < data.size(); first += rows) {
      const Batch batch = read_batch(data, first, std::min(rows, data.size() - first));
      search.add(states(batch), batch.indices);
      progress.update(first + batch.shape[0], "");
    }
    progress.end();
    return search.nearest();
  }

  void write(const Findings& findings) const {
    const std::filesystem::path folder = out_;
    write_csv_records(folder / "neighbours.csv", neighbour_header(), neighbour_records(findings));
    write_png(
        folder / "neighbours.png",
        neighbour_figure(neighbour_rows(findings, kMostPictures), "Nearest images in " + data_),
        {{"Software", software_name()}, {"Pictures", pictures_}, {"Data", data_}});
  }

  std::string pictures_, data_, out_ = "out/neighbours";
  int64_t k_ = 5, count_ = 16, size_ = 0;
  Split split_ = Split::train;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> neighbours_verb() {
  return std::make_unique<Neighbours>();
}

}  // namespace eqm::cli
