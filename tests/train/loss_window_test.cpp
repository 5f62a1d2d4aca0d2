#include "eqm/train/loss_window.h"

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(LossWindow, is_the_mean_of_the_steps_since_the_last_line) {
  LossWindow window;
  for (int64_t step = 1; step <= 4; ++step) window.add(step, 100, 10);
  window.close();
  for (int64_t step = 5; step <= 8; ++step) window.add(step, static_cast<double>(step), 2);
  const LossMeans means = window.close();
  EXPECT_EQ(means, (LossMeans{.loss = 6.5, .gradient_norm = 2, .steps = 4, .last = 8}));
  EXPECT_EQ(means.text(), "6.5 (mean of steps 5 to 8)");
}

TEST(LossWindow, shows_the_last_line_and_before_it_the_steps_so_far) {
  LossWindow window;
  EXPECT_EQ(window.shown().steps, 0);
  EXPECT_EQ(window.shown().text(), "none yet");
  window.add(1, 4, 1);
  EXPECT_EQ(window.shown().text(), "4 (step 1)");
  window.add(2, 2, 3);
  EXPECT_EQ(window.shown(), (LossMeans{.loss = 3, .gradient_norm = 2, .steps = 2, .last = 2}));
  const LossMeans line = window.close();
  EXPECT_EQ(window.shown(), line);
  window.add(3, 1000, 1);
  EXPECT_EQ(window.shown(), line);
}

}  // namespace
}  // namespace eqm::test
