// Progress of long work. The library reports to the interface; the program hands in a ProgressBar,
// which redraws one line on a terminal and prints a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <string>

namespace eqm {

// How well the total of a piece of work is known.
enum class TotalKind { exact, estimate, at_most, unknown };

class Progress {
 public:
  virtual ~Progress() = default;
  // Starts a piece of work of `total` units, 0 where that is not known yet; `unit` names them
  // ("steps").
  virtual void begin(const std::string& what, int64_t total, const std::string& unit) = 0;
  // The total as it is known by now, between begin() and end().
  virtual void expect(int64_t /*total*/, TotalKind /*kind*/) {}
  // The first `done` units were done before, by a run that this one resumes: they count as done but
  // took no time of ours. Between begin() and the first update().
  virtual void resume_at(int64_t /*done*/) {}
  // `note` is a short extra such as "loss 0.31".
  virtual void update(int64_t done, const std::string& note) = 0;
  virtual void end() = 0;
};

class NoProgress final : public Progress {
 public:
  void begin(const std::string&, int64_t, const std::string&) override {}
  void update(int64_t, const std::string&) override {}
  void end() override {}
};

enum class ProgressStyle { bar, lines, none };

// bar when the file descriptor is a terminal that can redraw a line, else lines.
ProgressStyle progress_style_for(int file_descriptor);

// Not thread-safe. The stream must outlive it.
class ProgressBar final : public Progress {
 public:
  // `terminal` is the file descriptor behind the stream: a bar is kept within its width, because a
  // line that wraps cannot be redrawn. Without one the width has no limit.
  ProgressBar(std::ostream& out, ProgressStyle style, int terminal = -1);

  void begin(const std::string& what, int64_t total, const std::string& unit) override;
  void expect(int64_t total, TotalKind kind) override;
  void resume_at(int64_t done) override;
  void update(int64_t done, const std::string& note) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::string state(Clock::time_point now) const;
  std::string bar_line(Clock::time_point now) const;
  void draw(Clock::time_point now);

  std::ostream& out_;
  ProgressStyle style_;
  int terminal_;
  std::string what_, unit_, note_;
  int64_t total_ = 0, done_ = 0, done_before_ = 0;
  TotalKind total_kind_ = TotalKind::exact;
  bool open_ = false;
  Clock::time_point start_, last_draw_;
};

// "45 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace eqm
