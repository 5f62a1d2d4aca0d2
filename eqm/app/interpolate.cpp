#include "eqm/app/interpolate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/figure_file.h"
#include "eqm/app/given_images.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sampling_progress.h"
#include "eqm/app/unused_options.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "eqm/codec/pictures.h"
#include "eqm/descend/denoise.h"
#include "eqm/descend/energy_path.h"
#include "eqm/descend/sampling.h"
#include "eqm/draw/chart.h"
#include "eqm/io/atomic_file.h"
#include "eqm/io/csv_records.h"
#include "eqm/io/output_folder.h"
#include "eqm/landscape/labels.h"

namespace eqm::app {
namespace {

constexpr size_t kMostRowsShown = 16;    // of the strip
constexpr size_t kMostCurvesShown = 12;  // of the chart of energies

const Names<InterpolateBy>& interpolate_names() {
  static const Names<InterpolateBy> names = {{"auto", InterpolateBy::automatic},
                                             {"path", InterpolateBy::path},
                                             {"noise", InterpolateBy::noise}};
  return names;
}

struct ImagePair {
  GivenImage from, to;
  std::vector<State> points;     // the images at both ends; empty until it is done
  std::vector<double> energies;  // of each point; not numbers without an energy
  std::vector<double> norms;
  int64_t steps = 0;
};

// Where a frame lies between the ends.
double position_of(size_t point, size_t points) {
  return static_cast<double>(point) / static_cast<double>(points - 1);
}

// The label goes over into the other as the picture does.
Terms terms_between(const GivenImage& from, const GivenImage& to, double t) {
  if (from.label == to.label) return only(from.label);
  return {.list = {{.label = from.label, .weight = 1 - t, .rest_weight = 1 - t},
                   {.label = to.label, .weight = t, .rest_weight = t}}};
}

std::optional<int64_t> number_in(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

GivenImage end_of(const std::string& text, const InterpolateOptions& options, const Model& model,
                  const Codec& codec, Host& host) {
  if (const auto number = number_in(text)) {
    if (options.data.empty()) {
      throw Error(ErrorKind::usage, fmt::format("image {} of no data set is asked for", *number),
                  "give the set by {data}, or picture files by {from} and {to}");
    }
    return read_given_images({.data = options.data, .numbers = {*number}, .label = options.label},
                             model, codec, host)
        .front();
  }
  GivenImage image = read_given_picture(text, model, codec);
  if (options.label != "own") image.label = label_of(model, options.label);
  return image;
}

std::vector<ImagePair> read_pairs(const InterpolateOptions& options, const Model& model,
                                  const Codec& codec, Host& host) {
  if (options.from.empty() != options.to.empty()) {
    throw Error(ErrorKind::usage, "one end of the way is missing", "give both {from} and {to}");
  }
  if (!options.from.empty()) {
    std::vector<ImagePair> pairs(1);
    pairs[0].from = end_of(options.from, options, model, codec, host);
    pairs[0].to = end_of(options.to, options, model, codec, host);
    return pairs;
  }
  if (options.data.empty()) {
    throw Error(ErrorKind::usage, "no images were given",
                "give a set by {data}, or two by {from} and {to}");
  }
  std::vector<GivenImage> images =
      read_given_images({.data = options.data,
                         .count = 2 * options.pairs,
                         .label = options.label,
                         .states_each = 2 * static_cast<double>(options.frames + 2)},
                        model, codec, host);
  if (images.size() < 2) {
    throw Error(ErrorKind::input, "the data hold one image, and a way has two ends",
                "give two images at least");
  }
  std::vector<ImagePair> pairs;
  for (size_t i = 0; i + 1 < images.size(); i += 2) {
    ImagePair& pair = pairs.emplace_back();
    pair.from = std::move(images[i]);
    pair.to = std::move(images[i + 1]);
  }
  return pairs;
}

struct Crossing {
  const InterpolateOptions& options;
  const LearnedField& field;
  StateSpace space;

  size_t points() const { return static_cast<size_t>(options.frames) + 2; }
  std::vector<Terms> terms(const ImagePair& pair) const {
    std::vector<Terms> all;
    for (size_t i = 0; i < points(); ++i) {
      all.push_back(terms_between(pair.from, pair.to, position_of(i, points())));
    }
    return all;
  }
};

void relax_pairs(const Crossing& about, std::vector<ImagePair>& pairs, Host& host) {
  const InterpolateOptions& options = about.options;
  const Magnitude magnitude = about.field.model().objective.effective_magnitude();
  // Half of the way down that a landing would take: stable where the landscape is steepest.
  const double eta =
      options.descent.eta > 0 ? options.descent.eta : 0.5 / magnitude.over_distance(1);
  host.progress().begin("interpolating", static_cast<int64_t>(pairs.size()) * options.path_steps,
                        "steps");
  int64_t before = 0;
  for (ImagePair& pair : pairs) {
    const auto go_on = [&](int64_t step) {
      host.progress().update(before + step, "");
      return !host.stop_requested();
    };
    const EnergyPath path = minimum_energy_path(
        about.field, about.space.shape, about.space.type,
        straight_path(pair.from.state, pair.to.state, about.points()), about.terms(pair),
        {.eta = eta, .steps = options.path_steps, .go_on = go_on});
    if (host.stop_requested()) break;
    pair.points = path.points;
    pair.energies = path.energies;
    pair.norms = path.norms;
    pair.steps = path.steps;
    before += options.path_steps;
  }
  host.progress().end();
}

// What a frame begins at: between the two images in noise.
State noised_between(const InterpolateOptions& options, const ImagePair& pair, int64_t number,
                     double t) {
  const auto seed = static_cast<uint64_t>(options.seed);
  const State from = noised(pair.from.state, options.gamma, seed, 2 * number);
  const State to =
      noised(pair.to.state, options.gamma, seed, options.same_noise ? 2 * number : 2 * number + 1);
  return slerp(from, to, t);
}

void descend_pairs(const Crossing& about, std::vector<ImagePair>& pairs, Host& host) {
  const InterpolateOptions& options = about.options;
  const Model& model = about.field.model();
  const int64_t frames = options.frames;
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  for (ImagePair& pair : pairs) {
    pair.points.assign(about.points(), State());
    pair.points.front() = pair.from.state;
    pair.points.back() = pair.to.state;
    pair.energies.assign(about.points(), nothing);
    pair.norms.assign(about.points(), nothing);
  }
  SamplingSpec job = {.count = static_cast<int64_t>(pairs.size()) * frames,
                      .seed = static_cast<uint64_t>(options.seed),
                      .descent = options.descent,
                      .in_order = false};
  const auto pair_of = [&](int64_t i) -> ImagePair& {
    return pairs[static_cast<size_t>(i / frames)];
  };
  const auto point_of = [&](int64_t i) { return static_cast<size_t>(i % frames) + 1; };
  job.start = [&](int64_t i) {
    return noised_between(options, pair_of(i), i / frames,
                          position_of(point_of(i), about.points()));
  };
  job.terms = [&](int64_t i) {
    const ImagePair& pair = pair_of(i);
    return terms_between(pair.from, pair.to, position_of(point_of(i), about.points()));
  };
  job.done = [&](int64_t i, Outcome outcome) {
    if (!is_finished(outcome.record.status)) return;
    ImagePair& pair = pair_of(i);
    pair.points[point_of(i)] = std::move(outcome.x);
    pair.energies[point_of(i)] = outcome.record.energy;
    pair.norms[point_of(i)] = outcome.record.norm;
    pair.steps += outcome.record.steps;
  };
  SamplingProgress progress(host.progress(), "interpolating", job.count,
                            options.descent.resolve(model.objective));
  job.go_on = [&](const EngineCounts& counts) {
    progress.update(counts);
    return !host.stop_requested();
  };
  run_sampling(about.field, job);
  progress.end();
}

double barrier_of(const ImagePair& pair) {
  const double ends = std::max(pair.energies.front(), pair.energies.back());
  double most = ends;
  for (const double energy : pair.energies) most = std::max(most, energy);
  return most - ends;
}

// A row for each pair.
Image strip_of(const std::vector<ImagePair>& pairs, const Model& model, const Codec& codec) {
  const size_t rows = std::min(kMostRowsShown, pairs.size()), columns = pairs[0].points.size();
  Shape shape = model.backbone->state_shape();
  shape.insert(shape.begin(), static_cast<int64_t>(rows * columns));
  Tensor states = torch::empty(shape, torch::kFloat64);
  int64_t place = 0;
  for (size_t row = 0; row < rows; ++row) {
    for (const State& point : pairs[row].points) put_state(point, states, place++);
  }
  draw::GridOptions grid = {.columns = static_cast<int>(columns)};
  for (size_t i = 0; i < columns; ++i) {
    const bool end = i == 0 || i + 1 == columns;
    grid.column_labels.push_back(end ? (i == 0 ? "from" : "to")
                                     : fmt::format("{:.2f}", position_of(i, columns)));
  }
  return picture_grid(states, codec, grid);
}

void write_way_table(const std::filesystem::path& file, const std::vector<ImagePair>& pairs) {
  std::vector<CsvRecord> rows;
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : std::string();
  };
  for (size_t k = 0; k < pairs.size(); ++k) {
    const ImagePair& pair = pairs[k];
    for (size_t i = 0; i < pair.points.size(); ++i) {
      rows.push_back({std::to_string(k), pair.from.source, pair.to.source,
                      fmt::format("{}", position_of(i, pair.points.size())),
                      number(pair.energies[i]), number(pair.norms[i])});
    }
  }
  write_csv_records(file, {"pair", "from", "to", "position", "energy", "norm"}, rows);
}

draw::Canvas energy_chart(const std::vector<ImagePair>& pairs) {
  std::vector<draw::Series> series;
  for (size_t k = 0; k < std::min(kMostCurvesShown, pairs.size()); ++k) {
    draw::Series& one = series.emplace_back();
    one.name = fmt::format("pair {}", k);
    for (size_t i = 0; i < pairs[k].points.size(); ++i) {
      one.x.push_back(position_of(i, pairs[k].points.size()));
      one.y.push_back(pairs[k].energies[i]);
    }
  }
  draw::Canvas canvas(720, 420);
  draw::line_chart(canvas, {.x = 72, .y = 60, .width = 620, .height = 300}, series,
                   {.title = "Energy along minimum-energy paths",
                    .x_label = "position between the two images",
                    .y_label = "energy"});
  return canvas;
}

void write_frames(const std::filesystem::path& folder, const std::vector<ImagePair>& pairs,
                  const Model& model, const Codec& codec, const PngText& origin) {
  create_folder(folder);
  Shape shape = model.backbone->state_shape();
  shape.insert(shape.begin(), 1);
  Tensor state = torch::empty(shape, torch::kFloat64);
  for (size_t k = 0; k < pairs.size(); ++k) {
    for (size_t i = 0; i < pairs[k].points.size(); ++i) {
      put_state(pairs[k].points[i], state, 0);
      PngText text = origin;
      text.emplace_back("Position", fmt::format("{}", position_of(i, pairs[k].points.size())));
      write_png(folder / fmt::format("{:03}-{:03}.png", k, i), pictures_of(state, codec).front(),
                text);
    }
  }
}

// Leaves the pairs of which every frame is done.
void keep_done(std::vector<ImagePair>& pairs) {
  std::erase_if(pairs, [](const ImagePair& pair) {
    return pair.points.empty() ||
           std::ranges::any_of(pair.points, [](const State& x) { return x.size() == 0; });
  });
}

}  // namespace

void InterpolateOptions::declare(OptionSet& options) {
  options.text("model", model, kModelHelp);
  options.text("data", data, "images: a named set or a path, as for eqm train");
  options.text("from", from, "where to begin: the number of an image of {data}, or a picture file");
  options.text("to", to, "where to end; empty, as {from}, for pairs of {data} chosen at random");
  options.count("pairs", pairs, Range::between(1, 1000), "how many of them");
  options.count("frames", frames, Range::between(1, 1000), "pictures between the two");
  options.choice("by", by, interpolate_names(),
                 "path relaxes a chain of pictures across the landscape, noise descends from "
                 "noised mixtures; auto is path where the model has an explicit energy");
  options.number("gamma", gamma, Range::between(0, 1),
                 "noise: how much of the images is left before the descent");
  options.flag("same-noise", same_noise, "noise: both images get the same noise");
  options.text("label", label, "own for the images' classes, null for none, or a class");
  options.count("path-steps", path_steps, Range::between(1, 1'000'000), "path: most steps");
  options.count("seed", seed, Range::between(0, 9e15), "of the noise");
  options.section("descent");
  descent.declare(options);
  options.section("output");
  options.text("out", out, "folder for the pictures and the table");
  options.flag("pictures", pictures, "writes every frame as a picture of its own");
  codec.declare(options);
  runtime.declare(options);
}

InterpolateResult run(const InterpolateOptions& options, Host& host) {
  const Runtime runtime = make_runtime(options.runtime);
  const RuntimeScope scope(runtime);
  const torch::TensorOptions type = runtime.tensors();
  const std::string model_name = given_or_shipped_model(options.model, *host.log());
  const Model model = load_for(model_name, type);
  require_blind(model.objective);
  options.descent.validate(model.objective);
  const Codec codec = options.codec.codec_of(model, type);
  const LearnedField field(model);
  InterpolateResult result;
  result.by = options.by != InterpolateBy::automatic ? options.by
              : field.has_energy()                   ? InterpolateBy::path
                                                     : InterpolateBy::noise;
  if (result.by == InterpolateBy::noise) {
    warn_of_unused(options.descent, model.objective, *host.log());
  }
  std::vector<ImagePair> pairs = read_pairs(options, model, codec, host);
  for (const ImagePair& pair : pairs) check_terms(field, terms_between(pair.from, pair.to, 0.5));
  const OutputFolder folder(options.out);
  host.begin_stoppable_work();
  result.asked = static_cast<int64_t>(pairs.size());
  const Crossing crossing = {.options = options, .field = field, .space = states_of_model(model)};
  if (result.by == InterpolateBy::path) {
    relax_pairs(crossing, pairs, host);
  } else {
    descend_pairs(crossing, pairs, host);
  }
  keep_done(pairs);
  result.done = static_cast<int64_t>(pairs.size());
  result.stopped = host.stop_requested();
  if (result.stopped) {
    host.log()->warn("interrupted: {} of {} pairs are done{}", result.done, result.asked,
                     result.done == 0 ? ", so nothing is written" : " and written");
  }
  if (pairs.empty()) return result;

  const bool energies = result.by == InterpolateBy::path && field.has_energy();
  const double counted =
      static_cast<double>(result.done) *
      (result.by == InterpolateBy::noise ? static_cast<double>(options.frames) : 1);
  for (const ImagePair& pair : pairs) {
    result.mean_steps += static_cast<double>(pair.steps) / counted;
    result.mean_barrier +=
        energies ? barrier_of(pair) / counted : std::numeric_limits<double>::quiet_NaN();
  }
  const std::filesystem::path out = options.out;
  const PngText origin = {{"Software", software_name()},
                          {"Model", model_name},
                          {"By", name_in(interpolate_names(), result.by)}};
  write_png(out / "interpolate.png", strip_of(pairs, model, codec), origin);
  write_way_table(out / "interpolate.csv", pairs);
  result.files = {"interpolate.png", "interpolate.csv"};
  if (energies) {
    write_figure(out / "energies", energy_chart(pairs), origin);
    result.files.insert(result.files.end(), {"energies.png", "energies.svg"});
  }
  if (options.pictures) {
    write_frames(out / "frames", pairs, model, codec, origin);
    result.files.emplace_back("frames/");
  }
  host.log()->info("wrote {} to {}", fmt::join(result.files, ", "), options.out);
  return result;
}

std::string text_of(const InterpolateResult& result) {
  if (result.done == 0) return {};
  std::string text = fmt::format("{:<18} {}\n{:<18} {:.1f}\n", "pairs", result.done, "mean steps",
                                 result.mean_steps);
  if (std::isfinite(result.mean_barrier)) {
    text +=
        fmt::format("{:<18} {:.4g} above the higher end\n", "mean barrier", result.mean_barrier);
  }
  return text;
}

}  // namespace eqm::app
