// Trains a small model on a folder of images, with progress in this program's own words. Run it
// again to resume.
//   train my-images runs/mine
#include <filesystem>
#include <iostream>

#include "eqm/eqm.h"

// Prints a line every hundred steps.
class Lines final : public eqm::Progress {
 public:
  void begin(const std::string& what, int64_t total, const std::string& unit) override {
    std::cout << what << ": " << total << ' ' << unit << '\n';
  }
  void update(int64_t done, const std::string& note) override {
    if (done % 100 == 0) std::cout << done << ": " << note << '\n';
  }
  void end() override {}
};

class Console final : public eqm::app::Host {
 public:
  const std::shared_ptr<eqm::Logger>& log() override { return log_; }
  eqm::Progress& progress() override { return lines_; }

 private:
  std::shared_ptr<eqm::Logger> log_ = eqm::stderr_logger(eqm::Verbosity::normal);
  Lines lines_;
};

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: train IMAGES FOLDER\n";
    return 2;
  }
  eqm::prepare_process();
  eqm::app::TrainingOptions options;
  options.training.data.data = argv[1];
  options.training.data.size = 32;
  options.training.steps = 1000;
  options.training.batch = 32;
  options.out = argv[2];
  options.resume = std::filesystem::exists(options.out);
  Console console;
  const eqm::app::TrainingResult result = eqm::app::run(options, console);
  std::cout << result.summary.steps << " steps, loss " << result.summary.loss.loss << ": "
            << result.model << '\n';
  return 0;
} catch (const eqm::Error& error) {
  for (const std::string& line : {std::string(error.what()), error.hint()}) {
    std::cerr << eqm::render_keys(line, eqm::bare_key) << '\n';
  }
  return eqm::exit_code(error.kind());
}
