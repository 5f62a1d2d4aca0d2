// What libraries read from the environment while they are being loaded, and no later: set here,
// before any of them is.
#pragma once

namespace eqm::cli {

// Threads of OpenMP that wait for work look for it for about a tenth of a millisecond, then sleep.
// GNU's default is milliseconds: beside one other busy program, two threads of ours then burn each
// other's time. Variables that the user has set stay.
void set_environment();

}  // namespace eqm::cli
