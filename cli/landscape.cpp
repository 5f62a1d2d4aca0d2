// eqm landscape: learns a landscape over the plane, descends it and draws it.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include <fmt/format.h>

#include "cli/interrupt.h"
#include "cli/verb.h"
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
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
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
Image frame_at(const PlaneStudy& study, double share) {
  Image image = image_of(draw_plane_frame(study, share));
  for (uint8_t& value : image.pixels) value = static_cast<uint8_t>((value >> 3) * 255 / 31);
  return image;
}

// Particles on their way over the field, from noise to the end, for ever.
void write_plane_animation(const std::filesystem::path& path, const PlaneStudy& study,
                           const PngText& origin) {
  constexpr int kFrames = 31, kMilliseconds = 100, kFirst = 600, kLast = 2500;
  ApngWriter writer(path, frame_at(study, 1), kFrames, origin);
  for (int k = 0; k < kFrames; ++k) {
    const int time = k == 0 ? kFirst : k == kFrames - 1 ? kLast : kMilliseconds;
    writer.add(frame_at(study, k / (kFrames - 1.0)), time);
  }
  writer.commit();
}

// "converged 1960, limit 40 · mean steps 118"
std::string outcome(const PlaneDescent& descent) {
  std::map<std::string, int64_t> counts;
  double steps = 0;
  for (const SampleRecord& record : descent.records) {
    ++counts[name_of(record.status)];
    steps += static_cast<double>(record.steps);
  }
  std::string text;
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", status, count);
  }
  return fmt::format("{} · mean steps {:.0f}", text,
                     steps / static_cast<double>(descent.records.size()));
}

void print_row(const std::string& name, double distance, const std::string& note) {
  std::cout << fmt::format("{:<24} {:>8.4f}  {}\n", name, distance, note);
}

struct Interrupted {};

// Shows the progress of a study, and leaves it when a signal asks for that.
class StoppableProgress final : public Progress {
 public:
  explicit StoppableProgress(Progress& shown) : shown_(shown) {}

  void begin(const std::string& what, int64_t total, const std::string& unit) override {
    shown_.begin(what, total, unit);
  }
  void update(int64_t done, const std::string& note) override {
    shown_.update(done, note);
    if (interrupt_requested() != 0) throw Interrupted();
  }
  void end() override { shown_.end(); }

 private:
  Progress& shown_;
};

class Landscape final : public Verb {
 public:
  std::string name() const override { return "landscape"; }
  std::string summary() const override {
    return "Learns a two-dimensional landscape, descends it and draws it beside Flow Matching";
  }
  std::string advice() const override {
    return R"(What matters in the plane:
  In high dimension a state shows how noisy it is, and data come to rest by themselves. In the plane it does
  not: with the paper's uniform γ and truncated c(γ), moons fill up and a checkerboard blurs. The defaults
  therefore draw γ near the data (--focus 2) and let the gradient fade linearly (--c linear).
  --spread is the width of the data beside the noise. At 1 the pulls towards the centre and away from it
  balance; much smaller, and samples gather on the outer rim; much larger, and they overshoot.
  η·λ·limit is how long samples descend. About 4 lands them all, which is what --eta 0 takes; a slow current
  along the data remains, so that far longer descents gather in a few places. Try --eta 0.1 --limit 400 and see.
  --limit 0 is 40 steps of a descent, 100 of an integrator. --rule auto is gd here, euler for flows: what makes
  land good for images, that a state shows how noisy it is, does not hold in the plane.
  --objective eqm-dot and eqm-l2 learn an energy; the picture shows its height.
  To see the paper's landscape: --c truncated --a 0.8 --focus 0 --spread 2.5 --eta 0.01 --limit 125.

Examples:
  eqm landscape --data spirals --out out/spirals
  eqm landscape --data points.csv --objective eqm-dot --rule nesterov --mu 0.35)";
  }

  void declare(OptionSet& options) override {
    plane_.declare(options);
    options.flag("animate", animate_, "draws the particles on their way, as an APNG");
    options.text("out", out_, "folder for the picture, the samples and the models");
    runtime_.declare(options);
  }

  int run(const OptionSet& options, Host& host) override {
    const Runtime runtime = make_runtime(runtime_);
    const RuntimeScope scope(runtime);
    const torch::TensorOptions type = runtime.tensors();
    plane_.validate();  // refuses before anything is learned
    warn_of_unused(plane_.descent_for(plane_.objective),
                   {.kind = plane_.objective, .magnitude = plane_.magnitude}, *host.log());
    const std::filesystem::path folder = out_.empty() ? "out/landscape" : out_;
    host.begin_stoppable_work();
    const OutputFolder place(folder);
    sweep_temporaries(folder);
    // Opened first: if the folder refuses it, no time was lost on training.
    AtomicFile config(folder / "config.toml");
    config.write(to_toml(options));

    StoppableProgress progress(host.progress());
    try {
      const PlaneStudy study = study_plane(plane_, type, progress);
      config.commit();
      write(study, folder, host);
    } catch (const Interrupted&) {
      host.progress().end();
      host.log()->warn("interrupted: nothing is written to {}, because a study is kept whole only",
                       folder.string());
      return exit_code_of(interrupt_requested());
    }
    return 0;
  }

 private:
  void write(const PlaneStudy& study, const std::filesystem::path& folder, Host& host) const {
    save_model(study.main.model, folder / "model.safetensors");
    write_samples(folder / "samples.csv", study.main);
    if (study.flow) {
      save_model(study.flow->model, folder / "model-fm.safetensors");
      write_samples(folder / "samples-fm.csv", *study.flow);
    }
    write_figure(folder / "landscape", draw_plane(study), origin_of(plane_));
    if (animate_) write_plane_animation(folder / "descent.png", study, origin_of(plane_));
    std::cout << (study.compared < plane_.samples
                      ? fmt::format(
                            "sliced Wasserstein distance to the data, {} points at a time\n",
                            study.compared)
                      : "sliced Wasserstein distance to the data\n");
    print_row(name_of(plane_.objective), study.main.distance, outcome(study.main));
    if (study.flow) print_row("fm", study.flow->distance, outcome(*study.flow));
    if (study.fresh_distance) {
      print_row("fresh data", *study.fresh_distance,
                "other points of the data: the noise of this number");
    }
    print_row("noise", study.noise_distance, "where descent starts");
    host.log()->info("wrote {}/landscape.png, .svg, {}samples.csv and the models", folder.string(),
                     animate_ ? "descent.png, " : "");
  }

  PlaneOptions plane_;
  // Tensors of a few hundred points are too small to share between threads.
  RuntimeOptions runtime_ = {.device = "cpu", .threads = 1, .precision = "float32"};
  std::string out_ = "out/landscape";
  bool animate_ = false;
};

}  // namespace

std::unique_ptr<Verb> landscape_verb() {
  return std::make_unique<Landscape>();
}

}  // namespace eqm::cli
