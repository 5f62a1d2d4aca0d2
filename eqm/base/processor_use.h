// The processor time that this process got, and the time it had to wait for some: Linux counts for
// every thread how long it ran, and how long it was ready to run while something else did.
#pragma once

#include <filesystem>
#include <optional>

namespace eqm {

// Seconds since some moment in the past; differences of two of these are of use.
struct ProcessorUse {
  double at = 0;      // when it was asked, by a steady clock
  double ran = 0;     // of all threads together
  double waited = 0;  // ready to run, but without a processor; of all threads together
};

// Of the threads that are alive; nothing where the system does not tell.
std::optional<ProcessorUse> processor_use();
// The same of a folder like /proc/self/task.
std::optional<ProcessorUse> processor_use_of(const std::filesystem::path& threads);

// The share of `ran + waited` between two moments that was waiting; nothing when nothing was done,
// or when either is less than it was: threads that have ended take their times with them.
std::optional<double> waiting_share(const ProcessorUse& from, const ProcessorUse& to);

}  // namespace eqm
