#include "eqm/plane/figure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "eqm/draw/chart.h"
#include "eqm/draw/contour.h"
#include "eqm/draw/legend.h"
#include "eqm/draw/panel.h"
#include "eqm/tensor/rows.h"

namespace eqm {
namespace {

using draw::Canvas;
using draw::Grid;
using draw::Panel;
using draw::Point;
using draw::Rect;

constexpr int kPanelSide = 272, kGapX = 22, kGapY = 74, kMargin = 30, kTop = 58, kFoot = 66;
constexpr int kHeatNodes = 81, kArrowsPerSide = 17;
constexpr size_t kDotsDrawn = 2000;  // more only thicken the cloud

const draw::Colour kDataColour = draw::category(1);
const draw::Colour kParticleColour = draw::category(0);

std::vector<Point> to_points(const Tensor& rows, size_t most = kDotsDrawn) {
  const Tensor table = rows.to(torch::kFloat64).cpu().contiguous();
  const double* values = table.data_ptr<double>();
  std::vector<Point> points;
  for (int64_t i = 0; i < table.size(0) && points.size() < most; ++i) {
    points.push_back({values[2 * i], values[2 * i + 1]});
  }
  return points;
}

// The region worth seeing: the data and most of the noise, as a square.
struct View {
  draw::Range x, y;
};

View view_of(const PlaneStudy& study) {
  const Scaling& scaling = study.scaling;
  const Tensor centre = torch::tensor(scaling.centre, torch::kFloat64);
  const double data = (study.data - centre).abs().max().item<double>();
  const double noise = 2.3 * scaling.unit;
  const double half = std::max(1.18 * data, noise);
  return {{scaling.centre[0] - half, scaling.centre[0] + half},
          {scaling.centre[1] - half, scaling.centre[1] + half}};
}

// The nodes of an n x n grid over the view, row by row from the bottom: [n*n, 2], user's
// coordinates. `inset` leaves that share of a cell free at every side.
Tensor nodes(const View& view, int n, double inset) {
  const auto line = [&](const draw::Range& range) {
    const double cell = range.width() / n;
    return torch::linspace(range.low + inset * cell, range.high - inset * cell, n, torch::kFloat64);
  };
  const Tensor xs = line(view.x).repeat({n}), ys = line(view.y).repeat_interleave(n);
  return torch::stack({xs, ys}, 1);
}

struct FieldOnGrid {
  Tensor gradient;  // [n*n, 2]
  Tensor height;    // [n*n]: energy where there is one, else the gradient norm
};

FieldOnGrid evaluate(const PlaneDescent& descent, const Scaling& scaling, const Tensor& at,
                     double time) {
  const LearnedField field(descent.model);
  const auto options = options_of(*descent.model.backbone);
  const Tensor x = scaling.to_states(at).to(options);
  const Condition condition = {.labels = {}, .time = torch::full({x.size(0)}, time, options)};
  if (field.has_energy()) {
    const GradientAndEnergy value = field.gradient_and_energy(x, condition);
    return {value.gradient, value.energy};
  }
  const Tensor gradient = field.gradient(x, condition);
  return {gradient, row_norms(gradient)};
}

Grid to_grid(const View& view, const Tensor& heights) {
  const Tensor values = heights.to(torch::kFloat64).cpu().contiguous();
  const double* data = values.data_ptr<double>();
  return {.nx = kHeatNodes,
          .ny = kHeatNodes,
          .x = view.x,
          .y = view.y,
          .values = std::vector<double>(data, data + values.numel())};
}

void draw_field(Panel& panel, const PlaneDescent& descent, const Scaling& scaling, const View& view,
                double time) {
  const Tensor heights = evaluate(descent, scaling, nodes(view, kHeatNodes, 0), time).height;
  const Grid grid = to_grid(view, heights);
  panel.heat_map(grid, draw::light_map(), draw::range_of(grid.values));
  panel.contours(grid, draw::even_levels(grid, 9),
                 {.colour = kParticleColour.with_alpha(0.28), .width = 0.8});
  const Tensor at = nodes(view, kArrowsPerSide, 0.5);
  const Tensor downhill = -evaluate(descent, scaling, at, time).gradient;
  const size_t all = static_cast<size_t>(at.size(0));
  panel.arrows(to_points(at, all), to_points(downhill, all),
               {.arrow = {.colour = draw::kInk.with_alpha(0.62), .width = 0.9, .head = 3.6}});
}

// Paths of the particles up to a step, and where they stand then.
void draw_particles(Panel& panel, const PlaneDescent& descent, size_t step) {
  const size_t last = std::min(step, descent.paths.size() - 1);
  const size_t particles = static_cast<size_t>(descent.paths.front().size(0));
  std::vector<draw::Polyline> lines(particles);
  for (size_t k = 0; k <= last; ++k) {
    const std::vector<Point> states = to_points(descent.paths[k], particles);
    for (size_t i = 0; i < particles; ++i) lines[i].push_back(states[i]);
  }
  for (const draw::Polyline& line : lines) {
    panel.path(line, {.colour = kParticleColour.with_alpha(0.55), .width = 1.1});
  }
  panel.points(to_points(descent.paths[last], particles), 2.4, kParticleColour);
}

void draw_data(Panel& panel, const Tensor& data, double alpha) {
  const std::vector<Point> points = to_points(data);
  std::vector<Point> distinct = points;
  std::sort(distinct.begin(), distinct.end(),
            [](Point a, Point b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= 16) {
    panel.stars(distinct, 8, kDataColour);
  } else {
    panel.points(points, 1.3, kDataColour.with_alpha(alpha));
  }
}

std::string title_of(ObjectiveKind kind) {
  switch (kind) {
    case ObjectiveKind::eqm:
      return "Equilibrium Matching";
    case ObjectiveKind::eqm_dot:
      return "EqM-E, dot product";
    case ObjectiveKind::eqm_l2:
      return "EqM-E, squared norm";
    case ObjectiveKind::fm:
      return "Flow Matching";
    case ObjectiveKind::fm_unconditional:
      return "Flow Matching without time";
    case ObjectiveKind::eqm_noise_condition:
      return "EqM with noise conditioning";
    case ObjectiveKind::classifier:
      break;
  }
  return "";
}

void field_panel(Canvas& canvas, Rect area, const PlaneStudy& study, const PlaneDescent& descent,
                 const View& view, double time, size_t step, const std::string& subtitle) {
  Panel panel(canvas, area, view.x, view.y,
              {.title = title_of(descent.model.objective.kind), .subtitle = subtitle});
  draw_field(panel, descent, study.scaling, view, time);
  draw_data(panel, study.data, 0.35);
  draw_particles(panel, descent, step);
  panel.frame();
}

void samples_panel(Canvas& canvas, Rect area, const View& view, const Tensor& points,
                   draw::Colour colour, const std::string& title, const std::string& subtitle) {
  Panel panel(canvas, area, view.x, view.y, {.title = title, .subtitle = subtitle});
  panel.points(to_points(points), 1.3, colour.with_alpha(0.5));
  panel.frame();
}

void norm_chart(Canvas& canvas, Rect area, const PlaneStudy& study) {
  std::vector<draw::Series> series;
  const auto add = [&](const PlaneDescent& descent) {
    draw::Series one = {.name = title_of(descent.model.objective.kind)};
    for (size_t k = 0; k < descent.mean_norms.size(); ++k) {
      one.x.push_back(static_cast<double>(k) /
                      static_cast<double>(std::max<size_t>(1, descent.mean_norms.size() - 1)));
      one.y.push_back(descent.mean_norms[k]);
    }
    series.push_back(std::move(one));
  };
  add(study.main);
  if (study.flow) add(*study.flow);
  draw::line_chart(canvas, area, series,
                   {.title = "Norm of the field",
                    .subtitle = "mean over the samples still moving",
                    .x_label = "share of the way"});
}

// Distances are comparable only between equally many points, so their number is shown.
std::string distance_text(double distance, const PlaneStudy& study) {
  if (!study.fresh_distance) return fmt::format("distance to the data {:.3f}", distance);
  return fmt::format("distance {:.3f}, fresh data {:.3f} ({} points each)", distance,
                     *study.fresh_distance, study.compared);
}

}  // namespace

Canvas draw_plane(const PlaneStudy& study) {
  const PlaneDescent* flow = study.flow ? &*study.flow : nullptr;
  const bool main_is_flow = study.main.model.objective.kind == ObjectiveKind::fm;
  if (main_is_flow) flow = &study.main;

  const int columns = 4;
  const int width = 2 * kMargin + columns * kPanelSide + (columns - 1) * kGapX;
  const int height = kTop + 2 * kPanelSide + kGapY + kFoot;
  Canvas canvas(width, height);
  const std::vector<Rect> places =
      draw::tiles(draw::inset({0, 0, static_cast<double>(width), static_cast<double>(height)},
                              {kMargin, kTop, kMargin, kFoot}),
                  2, columns, kGapX, kGapY);
  const View view = view_of(study);

  // Above: the fields. A flow's field changes with time; an equilibrium's does not.
  size_t place = 0;
  if (flow) {
    const size_t steps = flow->paths.size() - 1;
    const std::vector<double> times = main_is_flow ? std::vector<double>{0.0, 0.35, 0.7, 0.95}
                                                   : std::vector<double>{0.0, 0.5, 0.95};
    for (const double time : times) {
      field_panel(canvas, places[place++], study, *flow, view, time,
                  static_cast<size_t>(std::lround(time * static_cast<double>(steps))),
                  fmt::format("velocity at t = {}", time));
    }
  }
  if (!main_is_flow) {
    const ObjectiveKind kind = study.main.model.objective.kind;
    const char* what = has_energy(kind) ? "energy" : is_flow(kind) ? "velocity" : "gradient";
    const std::vector<size_t> steps =
        flow ? std::vector<size_t>{study.main.paths.size() - 1}
             : std::vector<size_t>{0, study.main.paths.size() / 6, study.main.paths.size() / 2,
                                   study.main.paths.size() - 1};
    for (const size_t step : steps) {
      field_panel(canvas, places[place++], study, study.main, view, 0, step,
                  fmt::format("{}, {} steps", what, step));
    }
  }

  // Below: what came out.
  samples_panel(canvas, places[4], view, study.data, kDataColour, "Data",
                fmt::format("{} points", study.data.size(0)));
  samples_panel(canvas, places[5], view, study.main.samples, kParticleColour,
                "Samples: " + title_of(study.main.model.objective.kind),
                distance_text(study.main.distance, study));
  if (study.flow) {
    samples_panel(canvas, places[6], view, study.flow->samples, kParticleColour,
                  "Samples: " + title_of(ObjectiveKind::fm),
                  distance_text(study.flow->distance, study));
  } else {
    samples_panel(canvas, places[6], view, study.main.start, draw::kMuted, "Start: noise",
                  fmt::format("distance to the data {:.3f}", study.noise_distance));
  }
  norm_chart(canvas, draw::inset(places[7], {26, 0, 0, 0}), study);

  const std::vector<draw::LegendEntry> entries = {
      {"data", kDataColour, draw::Marker::dot},
      {"particles and their paths", kParticleColour, draw::Marker::line},
      {"direction of descent", draw::kInk, draw::Marker::arrow},
      {has_energy(study.main.model.objective.kind) ? "height: energy (EqM-E), speed (FM)"
                                                   : "height: norm of the field",
       draw::light_map().at(0.8), draw::Marker::square}};
  draw::legend(
      canvas, {kMargin, height - 30.0, static_cast<double>(width - 2 * kMargin), 24}, entries,
      {.direction = draw::Direction::horizontal, .place = draw::Place::centre, .box = false});
  return canvas;
}

Canvas draw_plane_frame(const PlaneStudy& study, double share) {
  std::vector<const PlaneDescent*> shown = {&study.main};
  if (study.flow) shown.insert(shown.begin(), &*study.flow);
  const auto columns = static_cast<int>(shown.size());
  const int width = 2 * kMargin + columns * kPanelSide + (columns - 1) * kGapX;
  Canvas canvas(width, kTop + kPanelSide + kMargin);
  const std::vector<Rect> places =
      draw::tiles({kMargin, kTop, static_cast<double>(width - 2 * kMargin), kPanelSide}, 1, columns,
                  kGapX, kGapY);
  const View view = view_of(study);
  for (size_t i = 0; i < shown.size(); ++i) {
    const PlaneDescent& descent = *shown[i];
    const bool timed = descent.model.objective.kind == ObjectiveKind::fm;
    const auto last = static_cast<double>(descent.paths.size() - 1);
    const auto step = static_cast<size_t>(std::lround(share * last));
    field_panel(canvas, places[i], study, descent, view, timed ? share : 0, step,
                timed ? fmt::format("t = {:.2f}", share) : fmt::format("step {}", step));
  }
  return canvas;
}

}  // namespace eqm
