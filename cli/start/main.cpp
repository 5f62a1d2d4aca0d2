// The file `eqm`: answers what is stored; for everything else prepares the environment, loads the
// program, which brings LibTorch with it, and runs it. Kept free of other libraries so that this
// comes first.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <unistd.h>

#include "cli/start/environment.h"
#include "cli/start/stored_output.h"

namespace {

constexpr int kInputOutput = 4;  // exit_code(ErrorKind::io)

// The folder of this very file; empty if the system does not say.
std::string own_folder() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return "";
  path.resize(static_cast<size_t>(length));
  return path.substr(0, path.rfind('/'));
}

// In the build tree the program lies beside this file, installed in a folder of libraries.
std::string program_folder() {
  const std::string folder = own_folder();
  if (::access((folder + "/" EQM_PROGRAM_FILE).c_str(), F_OK) == 0) return folder;
  return folder + "/" EQM_PROGRAM_FOLDER;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = program_folder();
  if (eqm::cli::print_stored_output(folder + "/" + eqm::cli::kStoredOutputFile, argc, argv)) {
    return 0;
  }
  eqm::cli::set_environment();
  eqm::cli::choose_blas_kernels(argv);
  void* program = dlopen((folder + "/" EQM_PROGRAM_FILE).c_str(), RTLD_NOW | RTLD_GLOBAL);
  using Run = int (*)(int, char**);
  const Run run = program ? reinterpret_cast<Run>(dlsym(program, "eqm_run")) : nullptr;
  if (run == nullptr) {
    std::fprintf(stderr, "eqm: cannot load the program: %s\n", dlerror());
    std::fprintf(stderr, "hint: install eqm again, with the LibTorch it was built with\n");
    return kInputOutput;
  }
  return run(argc, argv);
}
