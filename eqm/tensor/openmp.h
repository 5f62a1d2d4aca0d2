// OpenMP may give fewer threads than it is asked for (OMP_DYNAMIC, OMP_THREAD_LIMIT and the like in
// the environment). OpenBLAS divides its work before it asks, and then waits for ever for the
// threads that never come. All of it does nothing where LibTorch does not use OpenMP.
#pragma once

#include <cstdint>

namespace eqm {

// The most threads that OpenMP grants; unlimited without it.
int64_t openmp_thread_limit();

// Lets every team that the calling thread starts have the size it asks for.
void grant_openmp_teams();

// Sets the size of the teams that the calling thread starts, and returns that of before; 0 where
// it cannot be set for a thread alone.
int set_openmp_team(int threads);

}  // namespace eqm
