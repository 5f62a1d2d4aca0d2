// Logging is handed in, never global: the library takes a Logger&, the program decides where it
// goes.
#pragma once

#include <memory>

#include <spdlog/logger.h>

namespace eqm {

using Logger = spdlog::logger;

enum class Verbosity { quiet, normal, verbose };

// Says nothing; for callers that do not care.
std::shared_ptr<Logger> silent_logger();

// Writes "info", "warning" and (when verbose) "debug" lines to stderr.
std::shared_ptr<Logger> stderr_logger(Verbosity verbosity);

}  // namespace eqm
