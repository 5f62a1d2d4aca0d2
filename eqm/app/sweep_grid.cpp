#include "eqm/app/sweep_grid.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm::app {
namespace {

constexpr size_t kMostPoints = 10000;

// Runs keep their weights in files that are all called the same.
bool is_common_name(const std::string& stem) {
  return stem.empty() || stem == "model" || stem == "weights" || stem == "latest";
}

std::string short_name(std::filesystem::path model) {
  if (model.filename().empty()) model = model.parent_path();
  const std::string stem = model.stem().string(), folder = model.parent_path().filename().string();
  return is_common_name(stem) && !folder.empty() ? folder : stem;
}

}  // namespace

std::vector<Axis> axes_of(const std::string& grid) {
  std::vector<Axis> axes;
  std::istringstream words(grid);
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    Axis axis = {.name = word.substr(0, equals)};
    if (equals != std::string::npos) axis.values = comma_parts(word.substr(equals + 1));
    std::erase(axis.values, "");
    const auto same = [&](const Axis& other) { return other.name == axis.name; };
    if (axis.name.empty() || axis.values.empty() || std::ranges::any_of(axes, same)) {
      throw Error(ErrorKind::usage, fmt::format("{} cannot be an axis of a grid", in_quotes(word)),
                  "write each option once with its values, as {grid} \"eta=0.003,0.006 limit=60\"");
    }
    axes.push_back(std::move(axis));
  }
  if (axes.empty()) {
    throw Error(ErrorKind::usage, "the grid is empty",
                "name options and values, as {grid} \"eta=0.003,0.006 limit=60,250\"");
  }
  return axes;
}

const std::string& Axis::shown_as(const std::string& value) const {
  const auto found = std::ranges::find(values, value);
  const auto place = static_cast<size_t>(found - values.begin());
  return place < shown.size() ? shown[place] : value;
}

std::vector<std::string> short_names(const std::vector<std::string>& models) {
  std::vector<std::string> names;
  for (const std::string& model : models) names.push_back(short_name(model));
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() ? names : models;
}

std::vector<GridPoint> points_of(const std::vector<Axis>& axes) {
  std::vector<GridPoint> points = {{}};
  for (const Axis& axis : axes) {
    if (points.size() * axis.values.size() > kMostPoints) {
      throw Error(ErrorKind::usage, fmt::format("the grid has more than {} points", kMostPoints),
                  "sweep fewer values at a time");
    }
    std::vector<GridPoint> longer;
    for (const GridPoint& point : points) {
      for (const std::string& value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::string text_of(const std::vector<Axis>& axes, const GridPoint& point) {
  std::vector<std::string> words;
  for (size_t i = 0; i < axes.size(); ++i)
    words.push_back(axes[i].name + " " + axes[i].shown_as(point[i]));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace eqm::app
