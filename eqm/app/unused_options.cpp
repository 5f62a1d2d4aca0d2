#include "eqm/app/unused_options.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eqm::app {
namespace {

std::vector<std::string> keys(std::vector<std::string> names) {
  for (std::string& name : names) name = fmt::format("{{{}}}", name);
  return names;
}

// All that samples depend on.
std::string settled_text(const SweepSetting& setting) {
  return fmt::format("{} guidance {} gamma {} of {}",
                     setting.descent.resolve(setting.objective).described(),
                     setting.guidance.described(), setting.gamma, setting.model);
}

// Points with the same samples as another that differs from them in this axis alone.
std::vector<size_t> idle_points(size_t axis, const std::vector<GridPoint>& points,
                                const std::vector<std::string>& settled) {
  std::map<std::pair<GridPoint, std::string>, std::vector<size_t>> alike;
  for (size_t i = 0; i < points.size(); ++i) {
    GridPoint others = points[i];
    others[axis].clear();
    alike[{others, settled[i]}].push_back(i);
  }
  std::vector<size_t> idle;
  for (const auto& entry : alike) {
    if (entry.second.size() > 1) idle.insert(idle.end(), entry.second.begin(), entry.second.end());
  }
  std::ranges::sort(idle);
  return idle;
}

// Options that no point reads, but for those of the grid.
std::vector<std::string> idle_flags(const std::vector<Axis>& axes,
                                    const std::vector<SweepSetting>& settings) {
  std::vector<std::string> idle = settings.front().descent.unused(settings.front().objective);
  for (const SweepSetting& setting : settings) {
    const std::vector<std::string> unused = setting.descent.unused(setting.objective);
    std::erase_if(idle, [&](const std::string& name) {
      return std::ranges::find(unused, name) == unused.end();
    });
  }
  for (const Axis& axis : axes) std::erase(idle, axis.name);
  return idle;
}

}  // namespace

void warn_of_unused(const DescentOptions& descent, const Objective& objective, Logger& log) {
  const std::vector<std::string> names = descent.unused(objective);
  if (names.empty()) return;
  const DescentOptions settled = descent.resolve(objective);
  const bool lands = settled.rule == RuleKind::walk_and_land;
  log.warn("{{rule}} {} does nothing with {}{}", name_in(rule_names(), settled.rule),
           fmt::join(keys(names), " and "),
           lands ? fmt::format(": it takes {} steps ({{walk}}, {{land}})", settled.limit) : "");
}

void warn_of_idle_settings(const std::vector<Axis>& axes, const std::vector<GridPoint>& points,
                           const std::vector<SweepSetting>& settings, Logger& log) {
  const std::vector<std::string> flags = idle_flags(axes, settings);
  if (!flags.empty()) {
    log.warn("no point of the grid does anything with {}", fmt::join(keys(flags), " and "));
  }
  std::vector<std::string> settled;
  for (const SweepSetting& setting : settings) settled.push_back(settled_text(setting));
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    const std::vector<size_t> idle = idle_points(axis, points, settled);
    if (idle.empty()) continue;
    log.warn("{{grid}}: {} makes no difference at {} of {} points, such as {} ({})",
             axes[axis].name, idle.size(), points.size(), text_of(axes, points[idle.front()]),
             settings[idle.front()].descent.resolve(settings[idle.front()].objective).described());
  }
}

}  // namespace eqm::app
