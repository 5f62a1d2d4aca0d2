#include "eqm/base/log.h"

#include <mutex>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace eqm {
namespace {

// Renders the keys of options in what it hands on.
class KeySink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  KeySink(spdlog::sink_ptr out, KeyStyle style) : out_(std::move(out)), style_(std::move(style)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    const std::string rendered = render_keys(text, style_);
    spdlog::details::log_msg shown = message;
    shown.payload = rendered;
    out_->log(shown);
  }
  void flush_() override { out_->flush(); }
  void set_pattern_(const std::string& pattern) override { out_->set_pattern(pattern); }
  void set_formatter_(std::unique_ptr<spdlog::formatter> format) override {
    out_->set_formatter(std::move(format));
  }

 private:
  spdlog::sink_ptr out_;
  KeyStyle style_;
};

}  // namespace

std::shared_ptr<Logger> silent_logger() {
  return std::make_shared<Logger>("eqm", std::make_shared<spdlog::sinks::null_sink_mt>());
}

std::shared_ptr<Logger> stderr_logger(Verbosity verbosity, KeyStyle style) {
  auto terminal = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  auto logger = std::make_shared<Logger>(
      "eqm", std::make_shared<KeySink>(std::move(terminal), std::move(style)));
  logger->set_pattern("eqm: %^%l%$: %v");
  logger->set_level(verbosity == Verbosity::quiet     ? spdlog::level::warn
                    : verbosity == Verbosity::verbose ? spdlog::level::debug
                                                      : spdlog::level::info);
  return logger;
}

}  // namespace eqm
