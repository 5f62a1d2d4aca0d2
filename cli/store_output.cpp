// Writes the file of what the program prints without computing anything
// (cli/start/stored_output.h), by running it on every such request.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

using Request = std::vector<std::string>;

// `list data` is not among them: it looks around on the machine.
std::vector<Request> stored_requests() {
  std::vector<Request> requests = {{},      {"--help"}, {"-h"}, {"help"}, {"--version"},
                                   {"man"}, {"list"}};
  for (const auto& verb : all_verbs()) {
    requests.push_back({verb->name(), "--help"});
    requests.push_back({verb->name(), "-h"});
    requests.push_back({"help", verb->name()});
  }
  for (const char* shell : {"bash", "zsh", "fish"}) requests.push_back({"completion", shell});
  for (const char* topic : {"rules", "presets", "objectives", "recipes", "models", "formats"}) {
    requests.push_back({"list", topic});
  }
  return requests;
}

// Standard output as text; empty for what is refused.
std::string output_of(Request words) {
  words.insert(words.begin(), "eqm");
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  std::ostringstream text;
  std::streambuf* screen = std::cout.rdbuf(text.rdbuf());
  int code = 0;
  try {
    code = run(static_cast<int>(arguments.size()), arguments.data());
  } catch (const std::exception&) {
    code = 1;
  }
  std::cout.rdbuf(screen);
  return code == 0 ? text.str() : "";
}

}  // namespace
}  // namespace eqm::cli

// Called by cli/start/store_output.cpp.
extern "C" int eqm_store_output(const char* path) {
  std::ofstream file(path, std::ios::binary);
  for (const auto& request : eqm::cli::stored_requests()) {
    const std::string output = eqm::cli::output_of(request);
    if (output.empty()) continue;
    file << output.size();
    for (const std::string& word : request) file << ' ' << word;
    if (request.empty()) file << ' ';
    file << '\n' << output;
  }
  file.close();
  return file ? 0 : 1;
}
