#include "cli/sample_output.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/averages.h"
#include "cli/figure_file.h"
#include "eqm/base/error.h"
#include "eqm/codec/pictures.h"
#include "eqm/draw/chart.h"
#include "eqm/io/csv.h"

namespace eqm::cli {
namespace {

constexpr int64_t kMostGridPictures = 400;
constexpr int64_t kMostTraces = 10;
constexpr int64_t kTraceStages = 9;
constexpr double kMostBins = 40;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

// A class name as JSON; names in other people's files need not be UTF-8.
std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

SampleOutput::SampleOutput(const std::filesystem::path& folder, const Model& model,
                           std::vector<std::string> rows, int64_t columns, PngText origin,
                           const OutputChoice& choice)
    : folder_(folder),
      model_(model),
      rows_(std::move(rows)),
      columns_(columns),
      origin_(std::move(origin)),
      choice_(choice),
      lines_(folder / "samples.jsonl") {
  if (model.backbone->state_shape().size() != 3) choice_.pictures = choice_.trace = false;
  if (choice_.pictures) create_folder(folder_ / "pictures");
  if (choice_.npz.empty()) return;
  const Shape shape = model.backbone->state_shape();
  if (shape.size() != 3 || (shape[0] != 1 && shape[0] != 3)) {
    throw Error(ErrorKind::usage, "an .npz holds pictures, and this model makes none",
                "leave --npz away");
  }
  npz_ = std::make_unique<SampleNpz>(choice_.npz, choice_.npz_method);
}

std::string SampleOutput::row_of(int64_t sample) const {
  return rows_.empty() ? "" : rows_.at(static_cast<size_t>(sample / columns_));
}

void SampleOutput::watch(int64_t sample, const Sight& sight) {
  const bool first = rows_.empty() ? sample < kMostTraces : sample % columns_ == 0;
  if (!choice_.trace || !first || sample / columns_ >= kMostTraces) return;
  traces_[sample].push_back(sight.x);
}

void SampleOutput::write_picture(int64_t sample, const Tensor& state) {
  PngText text = origin_;
  text.emplace_back("Sample", std::to_string(sample));
  if (!rows_.empty()) text.emplace_back("Label", row_of(sample));
  write_png(folder_ / "pictures" / fmt::format("{:06}.png", sample),
            pictures_of(state, model_.scaling).front(), text);
}

void SampleOutput::add_to_npz(int64_t sample, const Tensor& state) {
  std::optional<int64_t> label;
  if (!choice_.labels.empty()) label = choice_.labels.at(static_cast<size_t>(sample / columns_));
  npz_->add(pictures_of(state, model_.scaling).front(), label);
}

void SampleOutput::add(int64_t sample, const Outcome& outcome) {
  const SampleRecord& record = outcome.record;
  ++outcomes_[record.status];
  steps_.push_back(static_cast<double>(record.steps));
  evaluations_.push_back(static_cast<double>(record.evaluations));
  lines_.write(fmt::format(
      R"({{"sample":{},"label":{},"steps":{},"evaluations":{},"norm":{},"energy":{},"status":"{}"}})"
      "\n",
      sample, rows_.empty() ? "null" : json_text(row_of(sample)), record.steps, record.evaluations,
      number(record.norm), number(record.energy), name_of(record.status)));
  Shape shape = model_.backbone->state_shape();
  shape.insert(shape.begin(), 1);
  Tensor state = torch::empty(shape, torch::kFloat64);
  put_state(outcome.x, state, 0);
  if (choice_.pictures) write_picture(sample, state);
  if (npz_) add_to_npz(sample, state);
  const bool points = shape.size() == 2;
  if (points || sample < kMostGridPictures) kept_.emplace(sample, state);
  if (const auto trace = traces_.find(sample); trace != traces_.end()) {
    trace->second.push_back(outcome.x);
  }
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
  const int64_t rows = last / columns_ + 1;
  Shape shape = model_.backbone->state_shape();
  shape.insert(shape.begin(), rows_.empty() ? last + 1 : rows * columns_);
  Tensor states = torch::full(shape, -1, torch::kFloat64);
  for (const auto& [sample, state] : kept_) states[sample].copy_(state[0]);
  std::vector<std::string> names = rows_;
  if (!names.empty()) names.resize(static_cast<size_t>(rows));
  write_png(folder_ / "grid.png", picture_grid(states, model_.scaling, columns_, names, ""),
            origin_);
}

// Each row the way of one sample, in stages that are even in its steps.
void SampleOutput::write_trace() {
  std::vector<Tensor> stages;
  std::vector<std::string> names;
  for (const auto& [sample, states] : traces_) {
    names.push_back(rows_.empty() ? fmt::format("sample {}", sample) : row_of(sample));
    Shape shape = model_.backbone->state_shape();
    shape.insert(shape.begin(), kTraceStages);
    Tensor row = torch::empty(shape, torch::kFloat64);
    for (int64_t k = 0; k < kTraceStages; ++k) {
      const double where = static_cast<double>(k) / (kTraceStages - 1);
      const auto index = std::lround(where * static_cast<double>(states.size() - 1));
      put_state(states[static_cast<size_t>(index)], row, k);
    }
    stages.push_back(row);
  }
  write_png(folder_ / "trace.png",
            picture_grid(torch::cat(stages), model_.scaling, kTraceStages, names, ""), origin_);
}

void SampleOutput::write_histogram() {
  const auto [least, most] = std::minmax_element(evaluations_.begin(), evaluations_.end());
  const int bins = static_cast<int>(std::clamp(*most - *least + 1, 1.0, kMostBins));
  draw::Canvas canvas(640, 400);
  const std::vector<draw::Sample> samples = {{.name = "", .values = evaluations_}};
  draw::histogram(
      canvas, {60, 56, 560, 280}, samples, bins,
      {.title = "Evaluations until a sample is done",
       .subtitle = fmt::format("{} samples, mean {:.1f}", evaluations_.size(), mean(evaluations_)),
       .x_label = "evaluations of the field",
       .y_label = "samples"});
  write_figure(folder_ / "steps", canvas, origin_);
}

std::vector<std::string> SampleOutput::finish() {
  lines_.commit();
  std::vector<std::string> written = {"samples.jsonl"};
  const bool images = model_.backbone->state_shape().size() == 3;
  if (images && !kept_.empty()) {
    write_grid();
    written.emplace_back("grid.png");
  }
  if (choice_.pictures) written.emplace_back("pictures/");
  if (npz_ && npz_->count() > 0) npz_->commit();
  if (!images && !kept_.empty()) {
    write_points();
    written.emplace_back("samples.csv");
  }
  if (choice_.trace && !traces_.empty()) {
    write_trace();
    written.emplace_back("trace.png");
  }
  if (choice_.histogram && !evaluations_.empty()) {
    write_histogram();
    written.emplace_back("steps.png");
    written.emplace_back("steps.svg");
  }
  return written;
}

int64_t SampleOutput::count_of(DescentStatus status) const {
  const auto found = outcomes_.find(status);
  return found == outcomes_.end() ? 0 : found->second;
}

std::string SampleOutput::summary() const {
  std::string text;
  for (const auto& [status, count] : outcomes_) {
    text += fmt::format("{:<18} {} samples\n", name_of(status), count);
  }
  text += fmt::format("{:<18} {:.1f}\n", "mean steps", mean(steps_));
  return text + fmt::format("{:<18} {:.1f}\n", "mean evaluations", mean(evaluations_));
}

}  // namespace eqm::cli
