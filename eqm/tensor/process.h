// What belongs to a whole process, for the program that owns it: its main, and nobody else. A
// library inside somebody else's program calls nothing of this.
#pragma once

#include <cstdint>

namespace eqm {

// Settles, before anything is computed:
// - the number of threads of all work that does not ask for its own: those given, or for 0
//   $OMP_NUM_THREADS or every processor, as far as OpenMP grants them;
// - that freed memory stays with the process, and workspaces (workspace.h) reuse it;
// - that Debian's oneDNN does not use AMX (amx.h).
// More threads than make sense or OpenMP grants are a usage error.
void prepare_process(int64_t threads = 0);

}  // namespace eqm
