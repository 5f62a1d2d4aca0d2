// Ctrl-C and SIGTERM as a polite request: the first asks the work to stop where it loses nothing,
// the second leaves at once.
#pragma once

namespace eqm::cli {

// From now on the two signals are requests. For the whole process.
void catch_interrupts();

// The signal that asked for a stop; 0 when none did.
int interrupt_requested();

}  // namespace eqm::cli
