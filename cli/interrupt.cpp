#include "cli/interrupt.h"

#include <csignal>
#include <string_view>

#include <unistd.h>

#include "eqm/io/live_temporaries.h"

namespace eqm::cli {
namespace {

volatile std::sig_atomic_t requested = 0;  // the one thing a signal handler may write

constexpr std::string_view kPromise = "\neqm: stopping soon; once more leaves at once\n";

void on_signal(int signal) {
  if (requested != 0) {
    remove_live_temporaries();
    ::_exit(exit_code_of(signal));
  }
  requested = signal;
  // A handler may call write(), and nothing can be done where it fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kPromise.data(), kPromise.size());
}

// The handler is gone while it runs, so the signal that it raises takes its usual course.
void on_last_signal(int signal) {
  remove_live_temporaries();
  ::raise(signal);
}

bool is_ignored(int signal) {
  struct sigaction before = {};
  return ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

void leave_on_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_last_signal;
  action.sa_flags = SA_RESETHAND;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (!is_ignored(signal)) ::sigaction(signal, &action, nullptr);
  }
}

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // A lost terminal as well, unless the caller (nohup) has it ignored.
  if (!is_ignored(SIGHUP)) ::sigaction(SIGHUP, &action, nullptr);
}

int interrupt_requested() {
  return requested;
}

int exit_code_of(int signal) {
  return 128 + signal;
}

}  // namespace eqm::cli
