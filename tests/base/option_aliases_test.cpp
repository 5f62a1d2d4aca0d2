#include "eqm/base/option_aliases.h"

#include <gtest/gtest.h>

namespace eqm {
namespace {

struct Sampling {
  double guidance = 1;
  int64_t limit = 250, count = 8;

  void declare(OptionSet& options) {
    options.number("guidance", guidance, {}, "scale");
    options.count("limit", limit, {}, "steps");
    options.count("count", count, {}, "samples");
  }
};

TEST(OptionAliases, names_of_other_programs_lead_to_ours) {
  Sampling sampling;
  OptionSet options;
  sampling.declare(options);
  const auto meant = [&](const char* word) {
    const Option* option = option_meant_by(word, options);
    return option ? option->name : "";
  };
  EXPECT_EQ(meant("--cfg-scale"), "guidance");
  EXPECT_EQ(meant("--cfg_scale"), "guidance") << "as Python spells it";
  EXPECT_EQ(meant("cfg_scale"), "guidance");
  EXPECT_EQ(meant("--num-steps"), "limit") << "there is no option steps here";
  EXPECT_EQ(meant("-n"), "count");
  EXPECT_EQ(meant("-n8"), "count");
  EXPECT_EQ(meant("limit"), "limit");
  EXPECT_EQ(meant("--batch-size"), "") << "nothing here is like it";
  EXPECT_EQ(meant("--xyz"), "");
}

}  // namespace
}  // namespace eqm
