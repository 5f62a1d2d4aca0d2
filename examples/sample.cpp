// Samples of a model as pictures, with the options of `eqm sample`.
//   sample fashion-xs4 out/samples
#include <iostream>

#include "eqm/eqm.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: sample MODEL FOLDER\n";
    return 2;
  }
  eqm::prepare_process();  // this program owns its process
  eqm::app::SampleOptions options;
  options.model = argv[1];  // a file, a run folder, or the name of a shipped model
  options.per_class = 4;
  options.out = argv[2];
  eqm::app::QuietHost host;
  const eqm::app::SampleResult result = eqm::app::run(options, host);
  for (const std::string& file : result.files) std::cout << argv[2] << '/' << file << '\n';
  return 0;
} catch (const eqm::Error& error) {
  for (const std::string& line : {std::string(error.what()), error.hint()}) {
    std::cerr << eqm::render_keys(line, eqm::bare_key) << '\n';
  }
  return eqm::exit_code(error.kind());
}
