#include "cli/terminal_host.h"

#include <iostream>

#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/option_text.h"

namespace eqm::cli {

TerminalHost::TerminalHost(Verbosity verbosity, ProgressStyle style)
    : log_(stderr_logger(verbosity, as_flag)), progress_(std::cerr, style, STDERR_FILENO) {}

void TerminalHost::begin_stoppable_work() {
  catch_interrupts();
}

bool TerminalHost::stop_requested() const {
  return interrupt_requested() != 0;
}

}  // namespace eqm::cli
