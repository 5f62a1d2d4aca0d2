#include "eqm/app/landscape.h"

#include <cmath>

#include <fmt/format.h>

#include "eqm/app/figure_file.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/toml.h"
#include "eqm/base/version.h"
#include "eqm/io/apng.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/output_folder.h"
#include "eqm/io/png.h"
#include "eqm/plane/figure.h"
#include "eqm/plane/study.h"

namespace eqm::app {
namespace {

// The norm of a diverged sample is not finite; its cell stays empty.
void write_samples(const std::filesystem::path& path, const PlaneDescent& descent) {
  std::vector<CsvRecord> records;
  const Tensor samples = descent.samples.contiguous();
  for (int64_t i = 0; i < samples.size(0); ++i) {
    const SampleRecord& record = descent.records[static_cast<size_t>(i)];
    records.push_back(
        {fmt::format("{}", samples[i][0].item<double>()),
         fmt::format("{}", samples[i][1].item<double>()), std::to_string(record.steps),
         std::isfinite(record.norm) ? fmt::format("{}", record.norm) : "", name_of(record.status)});
  }
  write_csv_records(path, {"x", "y", "steps", "norm", "status"}, records);
}

PngText origin_of(const PlaneOptions& options) {
  return {{"Software", software_name()},
          {"Data", options.data},
          {"Objective", name_of(options.objective)},
          {"Seed", std::to_string(options.seed)}};
}

// A frame in 32 levels of each colour: half of the file, and the eye does not see it.
Image plane_frame_at(const PlaneStudy& study, double share) {
  Image image = image_of(draw_plane_frame(study, share));
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>((value >> 3) * 255 / 31);
  return image;
}

// Particles on their way over the field, from noise to the end, for ever.
void write_plane_animation(const std::filesystem::path& path, const PlaneStudy& study,
                           const PngText& origin) {
  constexpr int kFrames = 31, kMilliseconds = 100, kFirst = 600, kLast = 2500;
  ApngWriter writer(path, plane_frame_at(study, 1), kFrames, origin);
  for (int k = 0; k < kFrames; ++k) {
    const int time = k == 0 ? kFirst : k == kFrames - 1 ? kLast : kMilliseconds;
    writer.add(plane_frame_at(study, k / (kFrames - 1.0)), time);
  }
  writer.commit();
}

LandscapeDescent summary_of(const std::string& objective, const PlaneDescent& descent) {
  LandscapeDescent summary = {.objective = objective, .distance = descent.distance};
  double steps = 0;
  for (const SampleRecord& record : descent.records) {
    ++summary.outcomes[name_of(record.status)];
    steps += static_cast<double>(record.steps);
  }
  summary.mean_steps = steps / static_cast<double>(descent.records.size());
  return summary;
}

struct StudyStopped {};

// Shows the progress of a study, and leaves it when the host asks for that.
class StoppableProgress final : public Progress {
 public:
  explicit StoppableProgress(Host& host) : host_(host) {}

  void begin(const std::string& what, int64_t total, const std::string& unit) override {
    host_.progress().begin(what, total, unit);
  }
  void update(int64_t done, const std::string& note) override {
    host_.progress().update(done, note);
    if (host_.stop_requested()) throw StudyStopped();
  }
  void end() override { host_.progress().end(); }

 private:
  Host& host_;
};

std::vector<std::string> write_study(const PlaneStudy& study, const LandscapeOptions& options,
                                     const std::filesystem::path& folder) {
  std::vector<std::string> files = {"config.toml", "model.safetensors", "samples.csv"};
  save_model(study.main.model, folder / "model.safetensors");
  write_samples(folder / "samples.csv", study.main);
  if (study.flow) {
    save_model(study.flow->model, folder / "model-fm.safetensors");
    write_samples(folder / "samples-fm.csv", *study.flow);
    files.insert(files.end(), {"model-fm.safetensors", "samples-fm.csv"});
  }
  const PngText origin = origin_of(options.plane);
  write_figure(folder / "landscape", draw_plane(study), origin);
  files.insert(files.end(), {"landscape.png", "landscape.svg"});
  if (options.animate) {
    write_plane_animation(folder / "descent.png", study, origin);
    files.emplace_back("descent.png");
  }
  return files;
}

// The options as the run is asked for them: a file that reads back to the same.
std::string config_of(LandscapeOptions options) {
  OptionSet set;
  options.declare(set);
  return to_toml(set);
}

}  // namespace

void LandscapeOptions::declare(OptionSet& options) {
  plane.declare(options);
  options.flag("animate", animate, "animates the particles along their paths, as an APNG");
  options.text("out", out, "folder for the figure, the samples and the models");
  runtime.declare(options);
}

LandscapeResult run(const LandscapeOptions& options, Host& host) {
  const PlaneOptions& plane = options.plane;
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  plane.validate();  // refuses before anything is learned
  warn_of_unused(plane.descent_for(plane.objective),
                 {.kind = plane.objective, .magnitude = plane.magnitude}, *host.log());
  LandscapeResult result = {.folder = options.out.empty() ? "out/landscape" : options.out};
  const std::filesystem::path& folder = result.folder;
  host.begin_stoppable_work();
  const OutputFolder place(folder);
  sweep_temporaries(folder);
  // Opened first: if the folder refuses it, no time was lost on training.
  AtomicFile config(folder / "config.toml");
  config.write(config_of(options));

  StoppableProgress progress(host);
  try {
    const PlaneStudy study = study_plane(plane, runtime, progress);
    config.commit();
    result.files = write_study(study, options, folder);
    result.descents.push_back(summary_of(name_of(plane.objective), study.main));
    if (study.flow) result.descents.push_back(summary_of("fm", *study.flow));
    result.fresh_distance = study.fresh_distance;
    result.noise_distance = study.noise_distance;
    result.compared = study.compared;
  } catch (const StudyStopped&) {
    host.progress().end();
    host.log()->warn(
        "interrupted: nothing is written to {}, because only complete studies are kept",
        folder.string());
    result.stopped = true;
    return result;
  }
  for (const std::string& file : result.files) host.wrote(folder / file);
  host.log()->info("wrote {}/landscape.png, .svg, {}samples.csv and the models", folder.string(),
                   options.animate ? "descent.png, " : "");
  return result;
}

}  // namespace eqm::app
