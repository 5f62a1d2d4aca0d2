// Ctrl-C, SIGTERM and a lost terminal as a polite request: the first asks the work to stop where it
// loses nothing, the second leaves at once.
#pragma once

namespace eqm::cli {

// From now on these signals end the process, as they would without this, but not before it has
// removed the temporary files it is writing. Those that the caller has ignored stay so.
void leave_on_interrupts();

// From now on these signals are requests. For the whole process.
void catch_interrupts();

// The signal that asked for a stop; 0 when none did.
int interrupt_requested();

// The exit code of a program that a signal ended, as shells report it.
int exit_code_of(int signal);

}  // namespace eqm::cli
