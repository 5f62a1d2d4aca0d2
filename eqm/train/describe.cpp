#include "eqm/train/describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/backbone/architecture_text.h"
#include "eqm/base/sparkline.h"
#include "eqm/io/text.h"
#include "eqm/landscape/model.h"
#include "eqm/train/checkpoint.h"
#include "eqm/train/metrics.h"
#include "eqm/train/run_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;
using Lines = Description;

constexpr size_t kCurveWidth = 60;
constexpr size_t kMostNames = 12;

void describe_model(const Model& model, Lines& lines) {
  const Magnitude magnitude = model.objective.effective_magnitude();
  lines.emplace_back("architecture", architecture_text(model.backbone->architecture()));
  lines.emplace_back(
      "parameters",
      fmt::format("{:.2f} million", static_cast<double>(parameter_count(*model.backbone)) / 1e6));
  lines.emplace_back("states", fmt::format("{}", fmt::join(model.backbone->state_shape(), " x ")));
  lines.emplace_back("classes", class_list(model.backbone->num_classes(), model.class_names));
  lines.emplace_back("objective", name_of(model.objective.kind));
  if (!is_classifier(model.objective.kind)) {
    lines.emplace_back("landscape",
                       fmt::format("c {}, a {}, λ {}", name_in(magnitude_names(), magnitude.kind),
                                   magnitude.a, magnitude.lambda));
  }
  if (model.output_sign < 0) lines.emplace_back("output sign", "-1, as in the reference");
}

std::string last_text(const MetricSeries& series) {
  return fmt::format("{:.4g} at step {}", series.values.back(), series.steps.back());
}

void describe_run(const RunPaths& paths, Lines& lines) {
  std::vector<int64_t> steps;
  for (const Checkpoint& checkpoint : find_checkpoints(paths.checkpoints())) {
    steps.push_back(checkpoint.step);
  }
  lines.emplace_back("checkpoints", steps.empty()
                                        ? "none yet"
                                        : fmt::format("at steps {}", fmt::join(steps, ", ")));
  const MetricSeries loss = read_metric(paths, "loss");
  if (!loss.values.empty()) {
    lines.emplace_back("loss", last_text(loss));
    lines.emplace_back("", sparkline(loss.values, kCurveWidth));
  }
  const MetricSeries held_out = read_metric(paths, "held_out_loss");
  if (!held_out.values.empty()) {
    lines.emplace_back("held-out loss", last_text(held_out));
    lines.emplace_back("", sparkline(held_out.values, kCurveWidth));
  }
}

void describe_progress(const fs::path& path, Lines& lines) {
  const auto progress = read_progress(path);
  if (!progress) return;
  lines.emplace_back("step", std::to_string(progress->step));
  lines.emplace_back("loss", progress->loss.text());
}

}  // namespace

std::string class_list(int64_t count, const std::vector<std::string>& names) {
  if (count == 0) return "none";
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostNames) shown.push_back(in_quotes(name));  // of an untrusted file
  }
  return fmt::format("{}{}{}{}", count, shown.empty() ? "" : ": ", fmt::join(shown, ", "),
                     names.size() > kMostNames ? ", ..." : "");
}

Lines describe(const fs::path& path) {
  Lines lines;
  const RunPaths paths = {.folder = path};
  std::error_code ignored;  // what cannot be asked about is left to load_model() to refuse
  const bool run = fs::exists(paths.config(), ignored);
  const bool folder = fs::is_directory(path, ignored);
  lines.emplace_back(run ? "run" : folder ? "checkpoint" : "model", path.string());
  if (run && find_checkpoints(paths.checkpoints()).empty() && !fs::exists(paths.model(), ignored)) {
    describe_run(paths, lines);
    return lines;
  }
  describe_model(load_model(find_model(path)), lines);
  if (run) describe_run(paths, lines);
  if (folder && !run) describe_progress(path, lines);
  return lines;
}

}  // namespace eqm
