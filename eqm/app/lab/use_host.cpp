#include "eqm/app/lab/use_host.h"

#include <mutex>
#include <set>

#include <spdlog/sinks/base_sink.h>

namespace eqm::app {
namespace {

// Hands on what was not said before.
class OnceSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit OnceSink(std::shared_ptr<Logger> out) : out_(std::move(out)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string text(message.payload.data(), message.payload.size());
    if (said_.insert(text).second) out_->log(message.level, "{}", text);
  }
  void flush_() override { out_->flush(); }

 private:
  std::shared_ptr<Logger> out_;
  std::set<std::string> said_;
};

}  // namespace

UseHost::UseHost(Host& lab)
    : lab_(lab), log_(std::make_shared<Logger>("lab", std::make_shared<OnceSink>(lab.log()))) {
  log_->set_level(spdlog::level::warn);
}

void UseHost::begin(const std::string& what, int64_t total, const std::string& unit) {
  lab_.progress().begin(stage_.empty() ? what : stage_ + ", " + what, total, unit);
}

}  // namespace eqm::app
