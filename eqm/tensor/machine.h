// What this machine offers and what is really loaded, with a hint for whatever is wrong.
#pragma once

#include <string>
#include <vector>

namespace eqm {

struct Finding {
  std::string topic;
  std::string value;
  std::string hint;  // empty when all is well
};

// How the loaded BLAS makes its threads.
enum class BlasThreads { openmp, pthreads, none, unknown };

struct LoadedBlas {
  std::string path;  // of the library that is mapped into this process; empty: none found
  BlasThreads threads = BlasThreads::unknown;
  std::string
      kernels;  // OpenBLAS's name for the kernels it chose, such as "Haswell"; empty: unknown
};

LoadedBlas loaded_blas();

// Reads the machine and the loaded libraries. Needs prepare_process() first for the number of
// threads to be the one in use.
std::vector<Finding> inspect_machine();

}  // namespace eqm
