// What libraries read from the environment while they are being loaded, and no later: set here,
// before any of them is.
#pragma once

namespace eqm::cli {

// Threads of OpenMP that wait for work look for it for about a tenth of a millisecond, then sleep.
// GNU's default is milliseconds: beside one other busy program, two threads of ours then burn each
// other's time. Variables that the user has set stay.
void set_environment();

// OpenBLAS chooses its kernels by the processor's model number while it is being loaded, and a
// processor newer than the library gets its slowest ones. Loads OpenBLAS, which LibTorch then
// shares, and asks; if it fell back, starts this executable again with OPENBLAS_CORETYPE set. That
// takes milliseconds here, before LibTorch. Returns when there is nothing to mend.
void choose_blas_kernels(char** argv);

}  // namespace eqm::cli
