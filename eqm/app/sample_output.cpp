#include "eqm/app/sample_output.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/app/averages.h"
#include "eqm/app/figure_file.h"
#include "eqm/base/error.h"
#include "eqm/codec/options.h"
#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/data/class_folders.h"
#include "eqm/descend/sampling.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv.h"

namespace eqm::app {
namespace {

constexpr int64_t kMostGridPictures = 400, kMostColumns = 20;
constexpr int64_t kMostTraces = 10;
constexpr int64_t kMostRead = 100;  // samples whose norms and energies are kept
constexpr double kMostBins = 40;

const Names<ZipMethod>& zip_method_names() {
  static const Names<ZipMethod> names = {{"stored", ZipMethod::stored},
                                         {"deflated", ZipMethod::deflated}};
  return names;
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

// A class name as JSON; names in other people's files need not be UTF-8.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The folder of each label.
std::map<int64_t, std::string> folders_of(const Model& model, const std::vector<int64_t>& labels) {
  const std::vector<std::string> all = model.class_names.empty()
                                           ? numbered_folders(model.backbone->num_classes())
                                           : class_folders(model.class_names);
  std::map<int64_t, std::string> folders;
  for (const int64_t label : labels) {
    folders[label] = label < 0 ? label_name(model, label) : all.at(static_cast<size_t>(label));
  }
  return folders;
}

}  // namespace

void OutputChoice::declare(OptionSet& options) {
  options.flag("pictures", pictures, "writes every sample as a file of its own");
  options.flag(
      "class-folders", class_folders,
      "writes the pictures into one folder per class, as evaluation and training read them");
  options.flag(
      "trace", trace,
      "draws the path of the first sample of each class, and gradient norms along the way");
  options.flag("animate", animate, "animates samples from noise to the end, as an APNG");
  options.flag("histogram", histogram, "draws a histogram of evaluations per sample");
  options.text("npz", npz, "file for all samples, in the format of ADM's evaluator");
  options.choice("npz-method", npz_method, zip_method_names(),
                 "compression of that file; deflated is smaller");
}

void OutputChoice::validate() const {
  if (npz.empty() || npz.ends_with(".npz")) return;
  throw Error(ErrorKind::usage, fmt::format("'{}' does not end with .npz", npz),
              "name the file samples.npz, for instance");
}

std::vector<std::string> figures_of_samples() {
  return {"grid.png",     "samples.csv",  "trace.png",   "trace.csv", "norms.png", "norms.svg",
          "energies.png", "energies.svg", "descent.png", "steps.png", "steps.svg", "beside.png"};
}

SampleOutput::SampleOutput(const std::filesystem::path& folder, const SamplingPlan& plan,
                           PngText origin, const OutputChoice& choice)
    : folder_(folder),
      model_(plan.model),
      codec_(plan.codec),
      shown_(codec_.has_autoencoder() ? Scaling{} : codec_.scaling()),
      rows_(plan.row_names),
      labels_(plan.labels),
      sample_labels_(plan.sample_labels),
      sample_starts_(plan.sample_starts),
      pictures_(plan.pictures),
      layout_(plan.layout),
      origin_(std::move(origin)),
      choice_(choice),
      lines_(folder / "samples.jsonl"),
      animation_(animation_size(model_.backbone->state_shape(), codec_.has_autoencoder())) {
  if (model_.backbone->state_shape().size() != 3) choice_.pictures = choice_.animate = false;
  if (choice_.pictures) pictures_folder_.emplace(folder_ / pictures_);
  if (choice_.class_folders) {
    folders_ = folders_of(model_, sample_labels_.empty() ? labels_ : sample_labels_);
  }
  if (choice_.npz.empty()) return;
  const Shape shape = codec_.picture_shape(model_.backbone->state_shape());
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3)) {
    throw Error(ErrorKind::usage, "an .npz holds pictures, and this model makes none",
                makes_latents(model_) ? where_autoencoders_come_from() : "omit {npz}");
  }
  npz_ = std::make_unique<SampleNpz>(choice_.npz, choice_.npz_method);
}

std::optional<int64_t> SampleOutput::label_of(int64_t sample) const {
  if (!sample_labels_.empty()) return sample_labels_.at(static_cast<size_t>(sample));
  if (labels_.empty()) return std::nullopt;
  return labels_.at(static_cast<size_t>(layout_.row_of(sample)));
}

std::optional<std::string> SampleOutput::label_name_of(int64_t sample) const {
  if (!sample_labels_.empty()) return label_name(model_, *label_of(sample));
  if (rows_.empty()) return std::nullopt;
  return rows_.at(static_cast<size_t>(layout_.row_of(sample)));
}

// The first sample of each row, or the first few.
bool SampleOutput::is_traced(int64_t sample) const {
  const bool first = rows_.empty() || layout_.column_of(sample) == 0;
  const int64_t row = rows_.empty() ? sample : layout_.row_of(sample);
  return choice_.trace && first && row < kMostTraces;
}

int64_t SampleOutput::animated_columns() const {
  const int64_t most = animation_.pictures;
  if (!rows_.empty()) {  // columns that are full
    const int64_t full = std::max<int64_t>(1, layout_.count / layout_.rows);
    return std::clamp<int64_t>(most / layout_.rows, 1, full);
  }
  return static_cast<int64_t>(std::floor(std::sqrt(std::min(most, layout_.count))));
}

bool SampleOutput::is_animated(int64_t sample) const {
  if (!choice_.animate) return false;
  const int64_t columns = animated_columns();
  if (rows_.empty()) return sample < columns * columns;
  return layout_.column_of(sample) < columns && layout_.row_of(sample) < animation_.pictures;
}

void SampleOutput::watch(int64_t sample, const Sight& sight) {
  const bool read = choice_.trace && sample < kMostRead;
  const bool seen =
      model_.backbone->state_shape().size() == 3 && (is_traced(sample) || is_animated(sample));
  if (!read && !seen) return;
  const std::lock_guard lock(paths_mutex_);
  SamplePath& path = paths_.try_emplace(sample, animation_.few_states).first->second;
  if (read) path.readings.add({sight.step, sight.norm, sight.energy});
  if (seen) path.states.add({sight.step, sight.x});
}

void SampleOutput::write_picture(int64_t sample, const Tensor& state) {
  PngText text = origin_;
  text.emplace_back("Sample", std::to_string(sample));
  if (const auto label = label_name_of(sample)) text.emplace_back("Label", *label);
  if (!sample_starts_.empty()) {
    text.emplace_back("Source", sample_starts_.at(static_cast<size_t>(sample)));
  }
  std::filesystem::path folder = folder_ / pictures_;
  if (choice_.class_folders) {
    folder /= folders_.at(label_of(sample).value());
    create_folder(folder);
  }
  write_png(folder / fmt::format("{:06}.png", sample), pictures_of(state, shown_).front(), text);
}

void SampleOutput::add_to_npz(int64_t sample, const Tensor& state) {
  npz_->add(pictures_of(state, shown_).front(), label_of(sample));
}

void SampleOutput::add(int64_t sample, const Outcome& outcome) {
  const SampleRecord& record = outcome.record;
  const bool done = is_finished(record.status);
  if (done) evaluations_.push_back(static_cast<double>(record.evaluations));
  const std::optional<std::string> label = label_name_of(sample);
  lines_.write(fmt::format(
      R"({{"sample":{},"label":{},"steps":{},"evaluations":{},"norm":{},"energy":{},"status":"{}"}})"
      "\n",
      sample, label ? json_text(*label) : "null", record.steps, record.evaluations,
      number(record.norm), number(record.energy), name_of(record.status)));
  Shape shape = model_.backbone->state_shape();
  shape.insert(shape.begin(), 1);
  Tensor state = torch::empty(shape, torch::kFloat64);
  put_state(outcome.x, state, 0);
  const bool points = shape.size() == 2;
  // Who asks to stop does not wait for an autoencoder.
  if (!done && codec_.has_autoencoder()) return;
  {
    const std::lock_guard lock(paths_mutex_);
    if (const auto path = paths_.find(sample); path != paths_.end()) {
      path->second.end = {record.steps, outcome.x};
      path->second.ended = true;
    }
  }
  if (!done) {  // for the eye only
    if (!points && is_shown(sample)) kept_.emplace(sample, state);
    return;
  }
  const bool wanted = choice_.pictures || npz_ || is_shown(sample);
  if (wanted && codec_.has_autoencoder()) state = bytes_of(state, codec_);
  if (choice_.pictures) write_picture(sample, state);
  if (npz_) add_to_npz(sample, state);
  if (points || is_shown(sample)) kept_.emplace(sample, state);
}

// A grid is for looking at: of many samples it shows the first of each row.
int64_t SampleOutput::shown_columns() const {
  if (rows_.empty()) {
    const int64_t shown = std::min(layout_.count, kMostGridPictures);
    return static_cast<int64_t>(std::ceil(std::sqrt(shown)));
  }
  const int64_t most = std::clamp<int64_t>(kMostGridPictures / layout_.rows, 1, kMostColumns);
  return std::min(layout_.columns(), most);
}

bool SampleOutput::is_shown(int64_t sample) const {
  if (rows_.empty()) return sample < kMostGridPictures;
  return layout_.column_of(sample) < shown_columns() && layout_.row_of(sample) < kMostGridPictures;
}

void SampleOutput::write_points() {
  std::vector<Tensor> states;
  for (const auto& entry : kept_) states.push_back(entry.second);
  const Tensor values = model_.scaling.to_values(torch::cat(states)).contiguous();
  std::vector<std::string> header;
  for (int64_t i = 0; i < values.size(1); ++i) header.push_back(fmt::format("x{}", i));
  write_csv(folder_ / "samples.csv", header,
            std::span<const double>(values.data_ptr<double>(), static_cast<size_t>(values.numel())),
            values.size(1));
}

// Every sample in its place; those that are missing, because they were cancelled, stay black.
void SampleOutput::write_grid() {
  const int64_t last = kept_.rbegin()->first;
  const int64_t rows = std::min({layout_.rows, last + 1, kMostGridPictures});
  const bool named = !rows_.empty();
  const int64_t columns = named ? layout_.column_of(last) + 1 : shown_columns();
  Shape shape = codec_.picture_shape(model_.backbone->state_shape());
  shape.insert(shape.begin(), named ? rows * columns : last + 1);
  const double black = codec_.has_autoencoder() ? 0 : -1;
  Tensor states = torch::full(shape, black, kept_.begin()->second.options());
  for (const auto& [sample, state] : kept_) {
    const int64_t place =
        named ? layout_.row_of(sample) * columns + layout_.column_of(sample) : sample;
    states[place].copy_(state[0]);
  }
  std::vector<std::string> names = rows_;
  if (named) names.resize(static_cast<size_t>(rows));
  write_png(folder_ / "grid.png", picture_grid(states, shown_, columns, names, ""), origin_);
}

std::vector<NamedPath> SampleOutput::paths_where(const std::function<bool(int64_t)>& wanted) const {
  std::vector<NamedPath> paths;
  for (const auto& [sample, path] : paths_) {
    if (!path.ended || !wanted(sample)) continue;
    paths.push_back(
        {sample, label_name_of(sample).value_or(fmt::format("sample {}", sample)), &path});
  }
  return paths;
}

std::vector<std::string> SampleOutput::write_trace() {
  std::vector<std::string> written;
  const auto traced = paths_where([this](int64_t sample) { return is_traced(sample); });
  if (!traced.empty() && model_.backbone->state_shape().size() == 3) {
    write_png(folder_ / "trace.png", trace_picture(traced, model_.backbone->state_shape(), codec_),
              origin_);
    written.emplace_back("trace.png");
  }
  const auto read = paths_where([](int64_t sample) { return sample < kMostRead; });
  if (!has_quantity(read, Quantity::norm)) return written;
  write_readings(folder_ / "trace.csv", read);
  written.emplace_back("trace.csv");
  for (const auto& [quantity, name] :
       {std::pair{Quantity::norm, "norms"}, std::pair{Quantity::energy, "energies"}}) {
    if (!has_quantity(read, quantity)) continue;
    write_figure(folder_ / name, way_chart(read, quantity), origin_);
    for (const char* end : {".png", ".svg"}) written.push_back(name + std::string(end));
  }
  return written;
}

// The grid's order: row by row.
std::vector<std::string> SampleOutput::write_descent() {
  std::vector<NamedPath> paths =
      paths_where([this](int64_t sample) { return is_animated(sample); });
  const int64_t columns = animated_columns();
  const int64_t rows =
      rows_.empty() ? columns : std::min({layout_.rows, animation_.pictures, layout_.count});
  if (static_cast<int64_t>(paths.size()) < rows * columns) return {};  // interrupted
  std::vector<std::string> names;
  if (!rows_.empty()) {
    std::ranges::stable_sort(paths, {},
                             [this](const NamedPath& one) { return layout_.row_of(one.sample); });
    names.assign(rows_.begin(), rows_.begin() + rows);
  }
  write_animation(folder_ / "descent.png", paths, model_.backbone->state_shape(), codec_, columns,
                  names, origin_);
  return {"descent.png"};
}

void SampleOutput::write_histogram() {
  const auto [least, most] = std::minmax_element(evaluations_.begin(), evaluations_.end());
  // Whole numbers: each bin holds equally many of them, with some room at both sides.
  constexpr double kRoom = 3;
  const double each = std::ceil((*most - *least + 1) / kMostBins);
  const double bins = std::ceil((*most - *least + 1) / each) + 2 * kRoom;
  const double first = *least - 0.5 - kRoom * each;
  draw::Canvas canvas(640, 400);
  const std::vector<draw::Sample> samples = {{.name = "", .values = evaluations_}};
  draw::histogram(
      canvas, {60, 56, 560, 280}, samples, static_cast<int>(bins),
      {.title = "Evaluations until a sample is done",
       .subtitle = fmt::format("{} samples, mean {:.1f}", evaluations_.size(), mean(evaluations_)),
       .x_label = "evaluations of the field",
       .y_label = "samples",
       .x_range = draw::Range{first, first + bins * each}});
  write_figure(folder_ / "steps", canvas, origin_);
}

std::vector<std::string> SampleOutput::finish() {
  lines_.commit();
  if (npz_ && npz_->count() > 0) npz_->commit();  // before pictures, which may fail
  std::vector<std::string> written = {"samples.jsonl"};
  const bool images = model_.backbone->state_shape().size() == 3;
  if (images && !kept_.empty()) {
    write_grid();
    written.emplace_back("grid.png");
  }
  if (choice_.pictures && !evaluations_.empty()) written.push_back(pictures_ + "/");
  if (!images && !kept_.empty()) {
    write_points();
    written.emplace_back("samples.csv");
  }
  const auto add_all = [&written](const std::vector<std::string>& names) {
    written.insert(written.end(), names.begin(), names.end());
  };
  if (choice_.trace) add_all(write_trace());
  if (choice_.animate) add_all(write_descent());
  if (choice_.histogram && !evaluations_.empty()) {
    write_histogram();
    written.emplace_back("steps.png");
    written.emplace_back("steps.svg");
  }
  return written;
}

}  // namespace eqm::app
