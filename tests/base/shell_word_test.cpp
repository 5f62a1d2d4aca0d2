#include "eqm/base/shell_word.h"

#include <gtest/gtest.h>

namespace eqm {
namespace {

TEST(ShellWord, is_quoted_only_where_a_shell_would_change_it) {
  EXPECT_EQ(shell_word("runs/a-1_b.pt"), "runs/a-1_b.pt");
  EXPECT_EQ(shell_word("my own"), "'my own'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME"), "'$HOME'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(single_quoted("plain"), "'plain'");
}

}  // namespace
}  // namespace eqm
