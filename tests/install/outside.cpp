// A program of somebody else's, with the installed library alone: it makes data, trains on them,
// samples what it trained, and has its own words for progress and errors.
#include <filesystem>
#include <iostream>
#include <string>

#include "eqm/eqm.h"

namespace {

class Ticker final : public eqm::Progress {
 public:
  void begin(const std::string& what, int64_t total, const std::string& unit) override {
    std::cout << "[outside] " << what << ": " << total << ' ' << unit << '\n';
  }
  void update(int64_t done, const std::string&) override { done_ = done; }
  void end() override { std::cout << "[outside] done " << done_ << '\n'; }

 private:
  int64_t done_ = 0;
};

// Stripes of 8x8 pixels.
void make_pictures(const std::filesystem::path& folder, int count) {
  std::filesystem::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    eqm::Image image = {.width = 8, .height = 8, .channels = 1, .pixels = {}};
    for (int pixel = 0; pixel < 64; ++pixel) {
      image.pixels.push_back(static_cast<uint8_t>((pixel + i) % 8 < 4 ? 220 : 30));
    }
    eqm::write_png(folder / (std::to_string(i) + ".png"), image);
  }
}

eqm::TrainOptions tiny_training(const std::filesystem::path& data) {
  eqm::TrainOptions options;
  options.data.data = data.string();
  options.data.held_out = 4;
  options.model.width = 16;
  options.model.depth = 1;
  options.model.heads = 2;
  options.steps = 6;
  options.batch = 4;
  options.cadence.sample_every = 0;
  return options;
}

std::string in_capitals(std::string_view key) {
  std::string text;
  for (const char c : key) text += static_cast<char>(std::toupper(c));
  return text;
}

void expect_refusal(eqm::TrainOptions options, const eqm::RunHost& host,
                    const std::filesystem::path& folder) {
  options.model.heads = 3;  // does not divide the width
  try {
    eqm::run_training(
        options, [](const auto&) { return ""; }, {.folder = folder}, eqm::RunStart::fresh, host);
    std::cout << "not refused\n";
  } catch (const eqm::Error& error) {
    std::cout << "[outside] refused: " << eqm::render_keys(error.what(), in_capitals) << " ("
              << eqm::render_keys(error.hint(), in_capitals) << ")\n";
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) return 2;
  const std::filesystem::path work = argv[1];
  make_pictures(work / "pictures", 16);
  const eqm::TrainOptions options = tiny_training(work / "pictures");
  Ticker ticker;
  const eqm::RunHost host = {.log = eqm::silent_logger(),
                             .progress = ticker,
                             .stop_requested = [] { return false; },
                             .runtime = torch::kFloat32};
  const eqm::RunSummary summary = eqm::run_training(
      options, [](const eqm::TrainOptions&) { return "# made outside\n"; },
      {.folder = work / "run"}, eqm::RunStart::fresh, host);
  std::cout << "trained " << summary.steps << " steps\n";

  const eqm::LearnedField field(eqm::load_model(work / "run" / "model.safetensors"));
  const eqm::DescentResult drawn = eqm::sample(field, {.count = 3, .descent = {.limit = 20}});
  eqm::write_png(work / "samples.png",
                 eqm::picture_grid(drawn.x, field.model().scaling, 3, {}, "drawn outside"));
  std::cout << "sampled " << drawn.samples.size() << '\n';

  const eqm::IdealField ideal(torch::tensor({{3.0, 0.0}, {-3.0, 0.0}}), {});
  const eqm::DescentResult result = eqm::descend(
      ideal, torch::tensor({{0.5, 0.2}}),
      {.rule = eqm::gradient_descent(0.02), .stop = {.threshold = 0.01, .limit = 1000}});
  std::cout << (result.samples[0].status == eqm::DescentStatus::converged ? "at rest\n"
                                                                          : "moving\n");
  expect_refusal(options, host, work / "refused");
  return 0;
} catch (const eqm::Error& error) {
  std::cerr << "[outside] failed: " << error.what() << '\n';
  return eqm::exit_code(error.kind());
}
