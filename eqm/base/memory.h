// How much memory there is to be had, so that a request beyond it is refused in one sentence
// instead of being killed by the system hours later.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace eqm {

// Bytes that this process can still fill without swapping: what the machine has free or can free,
// and what the control groups around this process leave to it, whichever is less. `root` is where
// /proc and /sys are found. The largest number where the system does not tell.
uint64_t available_memory(const std::filesystem::path& root = "/");

// Throws a usage error when about `bytes` are more than available_memory(). `remedy` is the hint:
// "lower batch, width or depth".
void require_memory(double bytes, const std::string& remedy);

}  // namespace eqm
