// OpenBLAS chooses its kernels by the processor's model number when it is loaded. A processor newer
// than the library is unknown to it and gets kernels from 2004, several times slower than what it
// can do.
#pragma once

namespace eqm {

// If that happened, starts this program again with OPENBLAS_CORETYPE set to what the processor's
// features allow. Returns when there is nothing to mend, or when the user has set the variable. For
// the first line of main(): whatever the program did before is lost.
void restart_with_fitting_blas_kernels(char** argv);

}  // namespace eqm
