#include "eqm/base/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

namespace eqm {
namespace {

constexpr int kBarWidth = 24;
constexpr auto kRedraw = std::chrono::milliseconds(100);  // smooth to the eye, cheap for the loop
constexpr auto kLineEvery = std::chrono::seconds(10);     // a log file should stay readable

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

ProgressStyle progress_style_for(int file_descriptor) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = !terminal || std::string_view(terminal) == "dumb";
  return isatty(file_descriptor) && !dumb ? ProgressStyle::bar : ProgressStyle::lines;
}

ProgressBar::ProgressBar(std::ostream& out, ProgressStyle style) : out_(out), style_(style) {}

void ProgressBar::begin(const std::string& what, int64_t total, const std::string& unit) {
  what_ = what;
  unit_ = unit;
  total_ = total;
  done_ = 0;
  note_.clear();
  open_ = true;
  start_ = Clock::now();
  last_draw_ = start_;
  if (style_ == ProgressStyle::bar) draw(start_);
}

void ProgressBar::update(int64_t done, const std::string& note) {
  if (!open_) return;
  done_ = done;
  note_ = note;
  const auto now = Clock::now();
  const auto pause = style_ == ProgressStyle::bar ? Clock::duration(kRedraw) : kLineEvery;
  if (now - last_draw_ >= pause) draw(now);
}

void ProgressBar::end() {
  if (!open_) return;
  draw(Clock::now());
  if (style_ == ProgressStyle::bar) out_ << '\n' << std::flush;
  open_ = false;
}

void ProgressBar::draw(Clock::time_point now) {
  last_draw_ = now;
  if (style_ == ProgressStyle::bar) out_ << '\r' << line(now) << "\x1b[K" << std::flush;
  if (style_ == ProgressStyle::lines) out_ << line(now) << '\n' << std::flush;
}

std::string ProgressBar::line(Clock::time_point now) const {
  const double elapsed = seconds_between(start_, now);
  const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
  const double share =
      total_ > 0 ? std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0)
                 : 0;
  std::string text = what_ + " ";
  if (style_ == ProgressStyle::bar) {
    const int full = static_cast<int>(share * kBarWidth);
    for (int i = 0; i < kBarWidth; ++i) text += i < full ? "█" : "░";
    text += ' ';
  }
  text += fmt::format("{}/{} {}", done_, total_, unit_);
  if (rate > 0) text += fmt::format(" · {:.{}f}/s", rate, rate < 10 ? 1 : 0);
  if (done_ >= total_) {
    text += fmt::format(" · {}", duration_text(elapsed));
  } else if (rate > 0) {
    text += fmt::format(" · {} left", duration_text(static_cast<double>(total_ - done_) / rate));
  }
  if (!note_.empty()) text += " · " + note_;
  return text;
}

}  // namespace eqm
