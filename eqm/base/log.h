// Logging is handed in, never global: the library takes a Logger&, the program decides where it
// goes.
#pragma once

#include <memory>

#include <spdlog/logger.h>

#include "eqm/base/option_keys.h"

namespace eqm {

using Logger = spdlog::logger;

enum class Verbosity { quiet, normal, verbose };

// Says nothing; for callers that do not care.
std::shared_ptr<Logger> silent_logger();

// Writes "info", "warning" and (when verbose) "debug" lines to stderr, with keys of options in this
// style.
std::shared_ptr<Logger> stderr_logger(Verbosity verbosity, KeyStyle style = bare_key);

}  // namespace eqm
