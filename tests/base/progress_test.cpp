#include "eqm/base/progress.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace eqm {
namespace {

std::string shown(ProgressStyle style) {
  std::ostringstream out;
  ProgressBar bar(out, style);
  bar.begin("learning", 50, "steps");
  for (int64_t step = 1; step <= 50; ++step) bar.update(step, "loss 0.31");
  bar.end();
  return out.str();
}

TEST(Progress, lines_are_plain_text) {
  const std::string text = shown(ProgressStyle::lines);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "fast work is one line:\n" << text;
  EXPECT_TRUE(text.starts_with("learning 50/50 steps")) << text;
  EXPECT_TRUE(text.ends_with("loss 0.31\n")) << text;
}

TEST(Progress, bar_redraws_one_line) {
  const std::string text = shown(ProgressStyle::bar);
  EXPECT_TRUE(text.starts_with("\rlearning ░")) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  const std::string last = text.substr(text.rfind('\r'));
  EXPECT_NE(last.find("50/50 steps"), std::string::npos) << last;
  EXPECT_EQ(last.find("░"), std::string::npos) << "not full: " << last;
  EXPECT_NE(last.find("\x1b[K"), std::string::npos) << "leaves the tail of a longer line";
}

TEST(Progress, bar_redraws_seldom_enough_for_a_fast_loop) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::bar);
  const auto start = std::chrono::steady_clock::now();
  bar.begin("learning", 100'000, "steps");
  for (int64_t step = 1; step <= 100'000; ++step) bar.update(step, "");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const std::string text = out.str();
  EXPECT_LE(static_cast<double>(std::count(text.begin(), text.end(), '\r')),
            2 + elapsed.count() * 10);
}

TEST(Progress, bar_shows_the_share_that_is_done_and_the_time_left) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::bar);
  bar.begin("learning", 100, "steps");
  std::this_thread::sleep_for(std::chrono::milliseconds(110));  // past the pause between redraws
  bar.update(50, "");
  const std::string last = out.str().substr(out.str().rfind('\r'));
  EXPECT_NE(last.find("█░"), std::string::npos) << last;
  EXPECT_NE(last.find("50/100 steps"), std::string::npos) << last;
  EXPECT_NE(last.find(" left"), std::string::npos) << last;
}

TEST(Progress, none_prints_nothing) {
  EXPECT_EQ(shown(ProgressStyle::none), "");
}

TEST(Progress, end_shows_the_count_that_was_reached) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::lines);
  bar.begin("descending", 100, "steps");
  bar.update(37, "");
  bar.end();
  EXPECT_TRUE(out.str().starts_with("descending 37/100 steps")) << out.str();
}

TEST(Progress, says_nothing_outside_of_begin_and_end) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::lines);
  bar.update(1, "early");
  bar.end();
  EXPECT_EQ(out.str(), "");
  bar.begin("learning", 1, "steps");
  bar.end();
  const std::string once = out.str();
  bar.end();
  bar.update(1, "late");
  EXPECT_EQ(out.str(), once);
}

TEST(Progress, begins_again_without_what_was_before) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::lines);
  bar.begin("learning", 10, "steps");
  bar.update(10, "loss 0.31");
  bar.end();
  out.str("");
  bar.begin("descending", 20, "samples");
  bar.end();
  EXPECT_TRUE(out.str().starts_with("descending 0/20 samples")) << out.str();
  EXPECT_EQ(out.str().find("loss"), std::string::npos) << out.str();
}

TEST(Progress, says_how_well_the_total_is_known) {
  const auto line = [](TotalKind kind) {
    std::ostringstream out;
    ProgressBar bar(out, ProgressStyle::lines);
    bar.begin("sampling", 0, "evaluations");
    bar.expect(200, kind);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // so that there is a rate
    bar.update(50, "1/4 samples");
    bar.end();
    return out.str();
  };
  EXPECT_TRUE(line(TotalKind::exact).starts_with("sampling 50/200 evaluations · 25 %"));
  EXPECT_TRUE(line(TotalKind::estimate).starts_with("sampling 50/~200 evaluations · 25 %"));
  EXPECT_TRUE(line(TotalKind::at_most).starts_with("sampling 50/≤200 evaluations · 25 %"));
  EXPECT_NE(line(TotalKind::at_most).find(" left · 1/4 samples"), std::string::npos)
      << line(TotalKind::at_most);
  EXPECT_TRUE(line(TotalKind::unknown).starts_with("sampling 50 evaluations · "));
  EXPECT_EQ(line(TotalKind::unknown).find("left"), std::string::npos);
}

TEST(Progress, survives_work_without_units_and_too_many_of_them) {
  for (const ProgressStyle style : {ProgressStyle::bar, ProgressStyle::lines}) {
    std::ostringstream out;
    ProgressBar bar(out, style);
    bar.begin("nothing", 0, "steps");
    bar.end();
    bar.begin("more", 10, "steps");
    bar.update(25, "");
    bar.end();
    EXPECT_NE(out.str().find("nothing"), std::string::npos);
    EXPECT_NE(out.str().find("25/10 steps"), std::string::npos) << out.str();
  }
}

// Both ends of a terminal of the given width.
class Terminal {
 public:
  explicit Terminal(int columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || ::grantpt(master_) != 0 || ::unlockpt(master_) != 0) return;
    slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    resize(columns);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(slave_);
    ::close(master_);
  }

  void resize(int columns) {
    winsize window{};
    window.ws_col = static_cast<unsigned short>(columns);
    ::ioctl(slave_, TIOCSWINSZ, &window);
  }

  int file_descriptor() const { return slave_; }

 private:
  int master_, slave_ = -1;
};

std::string last_line(const std::string& text) {
  const size_t start = text.rfind('\r') + 1;
  return text.substr(start, text.find("\x1b[K", start) - start);
}

int letters_in(const std::string& text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
  }));
}

TEST(Progress, bar_stays_within_the_terminal) {
  const std::string note = "loss 0.412 · 95.1 images/s · data 0.4 %";
  Terminal terminal(200);
  if (terminal.file_descriptor() < 0) GTEST_SKIP() << "no terminal to be had";
  for (const int columns : {1, 2, 10, 20, 40, 60, 79, 80, 100, 200}) {
    terminal.resize(columns);
    std::ostringstream out;
    ProgressBar bar(out, ProgressStyle::bar, terminal.file_descriptor());
    bar.begin("training", 20'000, "steps");
    bar.resume_at(1234);  // no rate, which would make the length depend on the time
    bar.update(1234, note);
    bar.end();
    const std::string line = last_line(out.str());
    const bool has_room = columns >= 79;
    EXPECT_LT(letters_in(line), columns) << line;
    EXPECT_EQ(line.ends_with(note), has_room) << columns << ": " << line;
    EXPECT_EQ(line.ends_with("…"), !has_room && columns > 1) << columns << ": " << line;
    EXPECT_EQ(line.find("░") != std::string::npos, has_room) << columns << ": " << line;
  }
}

TEST(Progress, resumed_work_is_timed_from_where_it_resumed) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::bar);
  bar.begin("training", 20'000, "steps");
  bar.resume_at(10'000);
  EXPECT_NE(last_line(out.str()).find("10000/20000 steps"), std::string::npos) << out.str();
  EXPECT_EQ(last_line(out.str()).find("/s"), std::string::npos) << "nothing is done yet";
  std::this_thread::sleep_for(std::chrono::milliseconds(110));
  bar.update(10'001, "");
  // One step in at least 0.11 s leaves 9999 for at least 18 minutes; with the 10000 it were 0 s.
  EXPECT_NE(last_line(out.str()).find(" min"), std::string::npos) << last_line(out.str());
  EXPECT_NE(last_line(out.str()).find("████████████░"), std::string::npos) << last_line(out.str());
  bar.begin("again", 10, "steps");
  EXPECT_NE(last_line(out.str()).find("0/10 steps"), std::string::npos);
}

TEST(Progress, a_line_of_training_says_what_one_wants_to_know) {
  std::ostringstream out;
  ProgressBar bar(out, ProgressStyle::lines);
  bar.begin("training", 20'000, "steps");
  bar.resume_at(1000);
  EXPECT_EQ(out.str(), "");
  bar.update(1234, "loss 0.412 · 95.1 images/s · data 0.4 %");
  bar.end();
  EXPECT_TRUE(out.str().starts_with("training 1234/20000 steps · 6 % · ")) << out.str();
  EXPECT_TRUE(out.str().ends_with(" left · loss 0.412 · 95.1 images/s · data 0.4 %\n"))
      << out.str();
}

TEST(Progress, style_is_lines_where_there_is_no_terminal) {
  const int file = ::open("/dev/null", O_WRONLY);
  ASSERT_GE(file, 0);
  EXPECT_EQ(progress_style_for(file), ProgressStyle::lines);
  ::close(file);
  EXPECT_EQ(progress_style_for(-1), ProgressStyle::lines);
}

TEST(DurationText, names_seconds_minutes_and_hours) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(45), "45 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(3599), "59 min 59 s");
  EXPECT_EQ(duration_text(3599.7), "1 h 00 min");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(-3), "0 s");
}

}  // namespace
}  // namespace eqm
