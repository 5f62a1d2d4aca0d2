#include "eqm/train/pace.h"

#include <algorithm>
#include <utility>

#include <ATen/Parallel.h>

#include "eqm/tensor/runtime.h"

namespace eqm {
namespace {

double seconds_since(Pace::Clock::time_point start) {
  return std::chrono::duration<double>(Pace::Clock::now() - start).count();
}

}  // namespace

Pace::Pace(int64_t batch, std::function<std::optional<ProcessorUse>()> processor_use,
           std::shared_ptr<Logger> log)
    : batch_(batch),
      processor_use_(std::move(processor_use)),
      log_(std::move(log)),
      starvation_(usable_processors(), at::get_num_threads()) {}

void Pace::start() {
  window_ = {.use = processor_use_()};
  if (window_.use) starvation_.add(*window_.use);
}

Pace::Line Pace::close(double waited) {
  const double taken = std::max(1e-9, seconds_since(window_.start));
  Line line = {.images_per_second = static_cast<double>(window_.steps * batch_) / taken,
               .data_share = (waited - window_.waited) / taken,
               .processor_wait = {}};
  const std::optional<ProcessorUse> use = processor_use_();
  if (use) {
    if (window_.use) line.processor_wait = waiting_share(*window_.use, *use);
    if (const auto warning = starvation_.add(*use)) log_->warn("{}", *warning);
  }
  window_ = {.waited = waited, .use = use};
  return line;
}

void Pace::beside(const std::function<void()>& work) {
  const auto before = Clock::now();
  work();
  window_.start += Clock::now() - before;
}

double Pace::seconds() const {
  return seconds_since(made_);
}

}  // namespace eqm
