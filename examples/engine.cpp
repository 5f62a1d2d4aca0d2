// Samples of a model inside a program of your own: requests go to the engine from any thread, each
// with its own label, rule and stop, and come back as they finish.
//   engine models/fashion-xs4.safetensors picture.png
#include <iostream>
#include <thread>

#include "eqm/base/error.h"
#include "eqm/base/option_keys.h"
#include "eqm/codec/pictures.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/descend/sampling.h"
#include "eqm/io/png.h"
#include "eqm/tensor/process.h"

// No more samples will come: waits for those that are under way, whatever happens.
struct Ending {
  eqm::Engine& engine;
  std::thread& worker;

  void wait() const {
    engine.close();
    if (worker.joinable()) worker.join();
  }
  ~Ending() { wait(); }
};

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: engine MODEL PICTURE\n";
    return 2;
  }
  eqm::prepare_process();  // this program owns its process: all threads, memory that is reused
  const eqm::LearnedField field(eqm::load_model(argv[1]));
  const eqm::Shape shape = field.model().backbone->state_shape();
  eqm::Tensor drawn = torch::zeros({2, shape[0], shape[1], shape[2]});

  eqm::Engine engine(field, shape, torch::kFloat32);
  std::thread worker([&] { engine.serve(); });
  const Ending ending = {engine, worker};
  for (int64_t sample = 0; sample < 2; ++sample) {
    eqm::Request request = {.start = eqm::starting_noise(field.model(), /*seed=*/0, sample),
                            .terms = eqm::guidance(/*label=*/4, 1.5),
                            .rule = eqm::nesterov_look_ahead(/*eta=*/0.0125, /*mu=*/0.35),
                            .stop = {.threshold = 6, .limit = 60}};
    request.done = [&drawn, sample](eqm::Outcome outcome) {
      std::cout << eqm::name_of(outcome.record.status) << " after " << outcome.record.steps
                << " steps\n";
      eqm::put_state(outcome.x, drawn, sample);
    };
    engine.submit(std::move(request));  // from any thread, while the engine works
  }
  ending.wait();

  const eqm::Image picture = eqm::picture_grid(drawn, field.model().scaling, 2, {}, "two coats");
  eqm::write_png(argv[2], picture);
  return 0;
} catch (const eqm::Error& error) {
  for (const std::string& line : {std::string(error.what()), error.hint()}) {
    std::cerr << eqm::render_keys(line, eqm::bare_key) << '\n';
  }
  return eqm::exit_code(error.kind());
}
