#include "eqm/app/film_strip.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/codec/pictures.h"
#include "eqm/codec/states.h"
#include "eqm/descend/sampling.h"

namespace eqm::app {
namespace {

constexpr int64_t kStripStages = 9;

// Noise and its end, and what lies evenly between; fewer where there are fewer steps.
std::vector<int64_t> stages_within(int64_t limit) {
  std::vector<int64_t> steps;
  for (int64_t k = 0; k < kStripStages; ++k) {
    const double place = static_cast<double>(k * limit) / (kStripStages - 1);
    const int64_t step = std::lround(place);
    if (steps.empty() || steps.back() != step) steps.push_back(step);
  }
  return steps;
}

}  // namespace

FilmStrip::FilmStrip(int64_t samples, int64_t limit)
    : samples_(samples), steps_(stages_within(limit)) {}

void FilmStrip::watch(int64_t sample, const Sight& sight) {
  if (sample >= samples_ || !std::ranges::binary_search(steps_, sight.step)) return;
  const std::lock_guard lock(mutex_);
  states_[sample][sight.step] = sight.x;
}

void FilmStrip::add(int64_t sample, const Outcome& outcome) {
  if (sample >= samples_) return;
  const std::lock_guard lock(mutex_);
  states_[sample][outcome.record.steps] = outcome.x;
}

Tensor FilmStrip::stages(int64_t sample, const Shape& shape) const {
  const std::map<int64_t, State>& known = states_.at(sample);
  Shape all = shape;
  all.insert(all.begin(), static_cast<int64_t>(steps_.size()));
  Tensor stages = torch::empty(all, torch::kFloat64);
  int64_t place = 0;
  for (const int64_t step : steps_) {
    put_state(std::prev(known.upper_bound(step))->second, stages, place++);
  }
  return stages;
}

Image strip_picture(const std::vector<StripRow>& rows, const std::vector<int64_t>& steps,
                    const std::string& title) {
  draw::GridOptions options = {.title = title, .columns = static_cast<int>(steps.size())};
  for (const int64_t step : steps) options.column_labels.push_back(fmt::format("step {}", step));
  std::vector<Tensor> pixels;
  for (const StripRow& row : rows) {
    options.row_labels.push_back(row.name);
    pixels.push_back(Scaling::pixels().to_states(bytes_of(row.stages, row.codec)));
  }
  return picture_grid(torch::cat(pixels), Scaling::pixels(), options);
}

}  // namespace eqm::app
