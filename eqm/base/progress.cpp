#include "eqm/base/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string_view>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace eqm {
namespace {

constexpr int kBarWidth = 24, kShortestBar = 6;
constexpr auto kRedraw = std::chrono::milliseconds(100);  // smooth to the eye, cheap for the loop
constexpr auto kLineEvery = std::chrono::seconds(10);     // a log file should stay readable

double seconds_between(std::chrono::steady_clock::time_point from,
                       std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// Of the terminal's window, which may change at any time; a large number when it is unknown.
int columns_of(int terminal) {
  winsize window{};
  const bool known = terminal >= 0 && ::ioctl(terminal, TIOCGWINSZ, &window) == 0;
  return known && window.ws_col > 0 ? window.ws_col : 10'000;
}

bool starts_letter(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;  // not inside of a UTF-8 sequence
}

int letters_in(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), starts_letter));
}

std::string cut(const std::string& text, int letters) {
  if (letters_in(text) <= letters) return text;
  if (letters < 1) return {};
  size_t end = 0;
  for (int left = letters; end < text.size(); ++end) {
    if (starts_letter(text[end]) && --left == 0) break;
  }
  return text.substr(0, end) + "…";
}

// Before a number that is not exact.
const char* mark_of(TotalKind kind) {
  if (kind == TotalKind::at_most) return "≤";
  return kind == TotalKind::estimate ? "~" : "";
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

ProgressBar::ProgressBar(std::ostream& out, ProgressStyle style, int terminal)
    : out_(out), style_(style), terminal_(terminal) {}

void ProgressBar::begin(const std::string& what, int64_t total, const std::string& unit) {
  what_ = what;
  unit_ = unit;
  total_ = total;
  total_kind_ = total > 0 ? TotalKind::exact : TotalKind::unknown;
  done_ = done_before_ = 0;
  note_.clear();
  open_ = true;
  start_ = Clock::now();
  last_draw_ = start_;
  if (style_ == ProgressStyle::bar) draw(start_);
}

void ProgressBar::expect(int64_t total, TotalKind kind) {
  total_ = total;
  total_kind_ = kind;
}

void ProgressBar::resume_at(int64_t done) {
  if (!open_) return;
  done_ = done_before_ = done;
  if (style_ == ProgressStyle::bar) draw(Clock::now());
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
  if (style_ == ProgressStyle::bar) out_ << '\r' << bar_line(now) << "\x1b[K" << std::flush;
  if (style_ == ProgressStyle::lines) out_ << what_ << ' ' << state(now) << '\n' << std::flush;
}

std::string ProgressBar::bar_line(Clock::time_point now) const {
  const std::string text = state(now);
  const int columns = columns_of(terminal_) - 1;  // a full line moves the cursor on some terminals
  const int room = columns - letters_in(what_) - letters_in(text) - 2;
  const int width = room < kShortestBar ? 0 : std::min(room, kBarWidth);
  const double share =
      total_ > 0 ? std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0)
                 : 0;
  const int full = static_cast<int>(share * width);
  std::string bar;
  for (int i = 0; i < width; ++i) bar += i < full ? "█" : "░";
  return cut(what_ + ' ' + bar + (width > 0 ? " " : "") + text, columns);
}

std::string ProgressBar::state(Clock::time_point now) const {
  const double elapsed = seconds_between(start_, now);
  const double rate = elapsed > 0 ? static_cast<double>(done_ - done_before_) / elapsed : 0;
  const bool known = total_kind_ != TotalKind::unknown;
  const char* mark = mark_of(total_kind_);
  std::string text = known ? fmt::format("{}/{}{} {}", done_, mark, total_, unit_)
                           : fmt::format("{} {}", done_, unit_);
  if (known && style_ == ProgressStyle::lines && done_ < total_) {
    text += fmt::format(" · {} %", 100 * done_ / total_);
  }
  if (rate > 0) text += fmt::format(" · {:.{}f}/s", rate, rate < 10 ? 1 : 0);
  if (known && done_ >= total_) {
    text += fmt::format(" · {}", duration_text(elapsed));
  } else if (known && rate > 0) {
    const double left = static_cast<double>(total_ - done_) / rate;
    text += fmt::format(" · {}{} left", mark, duration_text(left));
  }
  if (!note_.empty()) text += " · " + note_;
  return text;
}

}  // namespace eqm
