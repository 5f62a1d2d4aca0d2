#include "eqm/base/log.h"

#include <string>

#include <gtest/gtest.h>

namespace eqm {
namespace {

// What a logger of this verbosity leaves on stderr.
std::string said(Verbosity verbosity) {
  ::testing::internal::CaptureStderr();
  const auto logger = stderr_logger(verbosity);
  logger->debug("a detail");
  logger->info("a note");
  logger->warn("a doubt");
  logger->flush();
  return ::testing::internal::GetCapturedStderr();
}

TEST(Log, silent_logger_says_nothing) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const auto logger = silent_logger();
  logger->info("a note");
  logger->critical("a cry");
  logger->flush();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
}

TEST(Log, verbosity_decides_what_is_said) {
  EXPECT_EQ(said(Verbosity::quiet), "eqm: warning: a doubt\n");
  EXPECT_EQ(said(Verbosity::normal), "eqm: info: a note\neqm: warning: a doubt\n");
  EXPECT_EQ(said(Verbosity::verbose),
            "eqm: debug: a detail\neqm: info: a note\neqm: warning: a doubt\n");
}

TEST(Log, loggers_are_no_shared_state) {
  const auto one = silent_logger();
  const auto two = silent_logger();
  one->set_level(spdlog::level::off);
  EXPECT_NE(two->level(), spdlog::level::off);
}

}  // namespace
}  // namespace eqm
