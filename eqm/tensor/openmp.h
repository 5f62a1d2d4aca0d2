// OpenMP may give fewer threads than it is asked for (OMP_DYNAMIC, OMP_THREAD_LIMIT and the like in
// the environment). OpenBLAS divides its work before it asks, and then waits for ever for the
// threads that never come.
#pragma once

#include <cstdint>

namespace eqm {

// Lets every team that the calling thread starts have the size it asks for, and answers the largest
// size that OpenMP grants. Unlimited where LibTorch does not use OpenMP.
int64_t largest_openmp_team();

}  // namespace eqm
