#include "eqm/base/log.h"

#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace eqm {

std::shared_ptr<Logger> silent_logger() {
  return std::make_shared<Logger>("eqm", std::make_shared<spdlog::sinks::null_sink_mt>());
}

std::shared_ptr<Logger> stderr_logger(Verbosity verbosity) {
  auto logger =
      std::make_shared<Logger>("eqm", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_pattern("eqm: %^%l%$: %v");
  logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::warn
                    : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                      : spdlog::level::info);
  return logger;
}

}  // namespace eqm
