// eqm sweep: the quality of a model's samples over a grid of sampler settings.
#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/figure_file.h"
#include "cli/interrupt.h"
#include "cli/quality.h"
#include "cli/sweep_grid.h"
#include "cli/verb.h"
#include "eqm/base/error.h"
#include "eqm/draw/chart.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/jsonl.h"
#include "eqm/tensor/runtime.h"
#include "eqm/train/run_folder.h"

namespace eqm::cli {
namespace {

struct Measured {
  GridPoint point;
  Quality quality;
};

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Curves of the distance over `x`, one for each value of everything but the axis left out.
draw::Canvas chart_of(const std::vector<Axis>& axes, const std::vector<Measured>& measured,
                      size_t left_out, const std::string& x_label,
                      const std::function<double(const Measured&)>& x) {
  std::map<std::string, std::map<double, double>> curves;
  for (const Measured& one : measured) {
    std::vector<std::string> words;
    for (size_t i = 0; i < axes.size(); ++i) {
      if (i != left_out && axes[i].values.size() > 1) {
        words.push_back(axes[i].name + " " + one.point[i]);
      }
    }
    curves[fmt::format("{}", fmt::join(words, ", "))][x(one)] = one.quality.distance;
  }
  std::vector<draw::Series> series;
  for (const auto& [name, points] : curves) {
    draw::Series& curve = series.emplace_back(draw::Series{.name = name});
    for (const auto& [at, distance] : points) {
      curve.x.push_back(at);
      curve.y.push_back(distance);
    }
  }
  draw::Canvas canvas(720, 440);
  draw::line_chart(canvas, {.x = 70, .y = 50, .width = 620, .height = 330}, series,
                   {.title = "Distance between samples and data",
                    .x_label = x_label,
                    .y_label = "Fréchet distance",
                    .y_scale = draw::Scale::log});
  return canvas;
}

class Sweep final : public Verb {
 public:
  std::string name() const override { return "sweep"; }
  std::string summary() const override {
    return "Measures the quality of samples over a grid of sampler settings";
  }
  std::string advice() const override {
    return R"(Quality is the Fréchet distance between samples and data in the features of a classifier (--judge), lower
is better; `right` is the share of samples that the judge takes for the class they were asked for. The grid names
options of the descent (see `eqm sample --help`) and guidance; options given as flags hold for all its points. An
interrupted sweep goes on where it was when the same command is given again.

Examples:
  eqm sweep --grid "rule=nesterov,gd limit=60,120,250" --out out/steps
  eqm sweep --limit 100 --grid "eta=0.003,0.006,0.012" --out out/step-sizes
  eqm sweep --rule land --grid "walk=5,10 land=2,4" --samples 2000 --out out/land)";
  }

  void declare(OptionSet& options) override {
    options.text("model", model_, "the model to sample: a file, a run folder or a checkpoint");
    options.text("judge", judge_, "a classifier of the same data");
    options.text("data", data_, "what the samples should look like");
    options.count("reference", reference_, Range::between(2, 1e9),
                  "examples of it to compare with");
    options.text("grid", grid_, "options with their values, as \"eta=0.003,0.006 limit=60,250\"");
    options.count("samples", contest_samples_, Range::between(2, 1e7), "samples at each point");
    options.count("seed", seed_, Range::between(0, 9e15), "where samples start");
    options.number("guidance", guidance_, Range::between(-1000, 1000), "1 for none");
    options.section("descent");
    descent_.declare(options);
    options.section("output");
    options.text("out", out_, "folder for sweep.jsonl, sweep.csv and the charts");
    runtime_.declare(options);
  }

  int run(const OptionSet&, Console& console) override {
    const torch::TensorOptions type = start_runtime(runtime_);
    const auto load = [&](const std::string& what) {
      Model model = load_model(find_model(what));
      model.backbone->to(type.device(), torch::typeMetaToScalarType(type.dtype()));
      return model;
    };
    const std::vector<Axis> axes = axes_of(grid_);
    const std::vector<GridPoint> points = points_of(axes);
    const LearnedField field(load(model_));
    for (const GridPoint& point : points) {  // refuses before anything is measured
      at(axes, point).descent.resolved(field.model().objective);
    }
    Judge judge(load(judge_));
    create_folder(out_);
    const std::filesystem::path folder = out_;
    LineLog log(folder / "sweep.jsonl");
    std::map<std::string, Quality> known = read_known(folder / "sweep.jsonl");
    const QualityMeter meter(std::move(judge), data_, reference_);
    const double floor = meter.floor(contest_samples_);
    std::cout << fmt::format("real data {:.3f}\n{:>9} {:>7} {:>9}\n", floor, "distance", "right",
                             "evals");
    catch_interrupts();
    std::vector<Measured> measured;
    console.progress.begin("sweeping", static_cast<int64_t>(points.size()), "points");
    for (const GridPoint& point : points) {
      const std::string key = key_of(axes, point);
      if (!known.contains(key)) {
        const Setting setting = at(axes, point);
        const auto quality = meter.of(
            field, setting.descent,
            {.samples = contest_samples_,
             .seed = static_cast<uint64_t>(seed_),
             .guidance = setting.guidance},
            [&](const EngineCounts& counts) {
              console.progress.update(static_cast<int64_t>(measured.size()),
                                      fmt::format("{} · {} of {} samples", text_of(axes, point),
                                                  counts.finished, contest_samples_));
              return interrupt_requested() == 0;
            });
        if (!quality) break;
        known[key] = *quality;
        log.append(record_of(key, *quality));
      }
      measured.push_back({point, known.at(key)});
      const Quality& quality = measured.back().quality;
      std::cout << fmt::format("{:>9.3f} {:>6.1f}% {:>9.1f}  {}\n", quality.distance,
                               100 * quality.accuracy, quality.evaluations, text_of(axes, point))
                << std::flush;
    }
    console.progress.end();
    if (interrupt_requested() != 0) {
      console.log->warn("interrupted: the same command goes on from here");
      return exit_code_of(interrupt_requested());
    }
    write(axes, measured, folder);
    console.log->info("wrote sweep.csv and charts to {}", out_);
    return 0;
  }

 private:
  struct Setting {
    DescentOptions descent;
    double guidance = 1;
  };

  Setting at(const std::vector<Axis>& axes, const GridPoint& point) const {
    Setting setting = {.descent = descent_, .guidance = guidance_};
    OptionSet options;
    setting.descent.declare(options);
    options.number("guidance", setting.guidance, Range::between(-1000, 1000), "");
    for (size_t i = 0; i < axes.size(); ++i) {
      options.set_text(axes[i].name, point[i], axes[i].name);
    }
    return setting;
  }

  static std::string text_of(const std::vector<Axis>& axes, const GridPoint& point) {
    std::vector<std::string> words;
    for (size_t i = 0; i < axes.size(); ++i) words.push_back(axes[i].name + " " + point[i]);
    return fmt::format("{}", fmt::join(words, ", "));
  }

  // Everything that a measurement depends on.
  std::string key_of(const std::vector<Axis>& axes, const GridPoint& point) const {
    Setting setting = at(axes, point);
    OptionSet options;
    setting.descent.declare(options);
    nlohmann::json key = {{"model", model_},
                          {"judge", judge_},
                          {"data", data_},
                          {"reference", reference_},
                          {"samples", contest_samples_},
                          {"seed", seed_},
                          {"guidance", setting.guidance}};
    for (const Option& option : options.options()) key[option.name] = to_text(option.get());
    return key.dump();
  }

  static std::string record_of(const std::string& key, const Quality& quality) {
    return nlohmann::json{{"setting", nlohmann::json::parse(key)},
                          {"distance", quality.distance},
                          {"accuracy", quality.accuracy},
                          {"evaluations", quality.evaluations},
                          {"seconds", quality.seconds},
                          {"diverged", quality.diverged}}
        .dump();
  }

  static std::map<std::string, Quality> read_known(const std::filesystem::path& path) {
    std::map<std::string, Quality> known;
    for (const std::string& line : read_lines(path)) {
      try {
        const auto json = nlohmann::json::parse(line);
        known[json.at("setting").dump()] = {.distance = json.at("distance"),
                                            .accuracy = json.at("accuracy"),
                                            .evaluations = json.at("evaluations"),
                                            .seconds = json.at("seconds"),
                                            .diverged = json.at("diverged")};
      } catch (const nlohmann::json::exception&) {
        throw Error(ErrorKind::input,
                    fmt::format("'{}' holds a line that is no measurement", path.string()),
                    "move the file away, or choose another --out");
      }
    }
    return known;
  }

  static void write(const std::vector<Axis>& axes, const std::vector<Measured>& measured,
                    const std::filesystem::path& folder) {
    CsvRecord header;
    for (const Axis& axis : axes) header.push_back(axis.name);
    for (const char* name : {"distance", "right", "evaluations", "seconds", "diverged"}) {
      header.emplace_back(name);
    }
    std::vector<CsvRecord> records;
    for (const Measured& one : measured) {
      CsvRecord record = one.point;
      for (const double value : {one.quality.distance, one.quality.accuracy,
                                 one.quality.evaluations, one.quality.seconds}) {
        record.push_back(fmt::format("{}", value));
      }
      record.push_back(std::to_string(one.quality.diverged));
      records.push_back(std::move(record));
    }
    write_csv_records(folder / "sweep.csv", header, records);
    for (size_t i = 0; i < axes.size(); ++i) {
      const bool numbers = std::ranges::all_of(
          axes[i].values, [](const auto& value) { return number_in(value).has_value(); });
      if (!numbers || axes[i].values.size() < 2) continue;
      write_figure(folder / ("by-" + axes[i].name),
                   chart_of(axes, measured, i, axes[i].name,
                            [i](const Measured& one) { return *number_in(one.point[i]); }),
                   {{"Software", "eqm " EQM_VERSION}});
    }
    if (measured.size() < 2) return;
    // Along a numeric axis evaluations usually grow: the last one left out makes the curves.
    write_figure(folder / "by-evaluations",
                 chart_of(axes, measured, axes.size() - 1, "evaluations per sample",
                          [](const Measured& one) { return one.quality.evaluations; }),
                 {{"Software", "eqm " EQM_VERSION}});
  }

  std::string model_ = "models/fashion-xs4.safetensors";
  std::string judge_ = "models/fashion-classifier.safetensors";
  std::string data_ = "fashion-mnist";
  std::string grid_, out_ = "out/sweep";
  int64_t reference_ = 10000, contest_samples_ = 1000, seed_ = 0;
  double guidance_ = 1;
  DescentOptions descent_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> sweep_verb() {
  return std::make_unique<Sweep>();
}

}  // namespace eqm::cli
