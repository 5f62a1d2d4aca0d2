#include "eqm/descend/rule_table.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "eqm/base/option_keys.h"
#include "eqm/descend/options.h"

namespace eqm::test {
namespace {

// E = ½ (x₁² + x₂² / 4)
Answer slope_at(const State& x) {
  return {.gradient = {x[0], x[1] / 4}, .energy = 0.5 * (x[0] * x[0] + x[1] * x[1] / 4)};
}

std::set<std::string> declared_options() {
  DescentOptions options;
  OptionSet set;
  options.declare(set);
  const std::vector<std::string> names = set.names();
  return {names.begin(), names.end()};
}

TEST(RuleTable, has_a_complete_row_for_every_rule) {
  const std::set<std::string> declared = declared_options();
  std::set<std::string> names;
  for (size_t i = 0; i < rule_table().size(); ++i) {
    const RuleRow& row = rule_table()[i];
    SCOPED_TRACE(row.name);
    EXPECT_EQ(row.kind, static_cast<RuleKind>(i)) << "rows stand as the kinds do";
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_NE(std::string(row.help), "");
    for (const std::string& option : row.options) EXPECT_TRUE(declared.contains(option)) << option;
    render_keys(row.help, [&](std::string_view key) {
      EXPECT_TRUE(declared.contains(std::string(key))) << key;
      return std::string(key);
    });
    EXPECT_EQ(row.make == nullptr, row.kind == RuleKind::automatic);
  }
  EXPECT_EQ(rule_table().back().kind, RuleKind::sde_heun) << "the last kind has a row";
  EXPECT_EQ(rule_names().size(), rule_table().size());
}

TEST(RuleTable, every_option_of_a_rule_is_read_by_some_rule) {
  for (const std::string& option : declared_options()) {
    if (option == "rule" || option == "limit" || option == "threshold" || option == "fraction" ||
        option == "plateau") {
      continue;
    }
    EXPECT_TRUE(std::ranges::any_of(rule_table(), [&](const RuleRow& row) {
      return row.reads(option);
    })) << option;
  }
}

TEST(RuleTable, rules_descend_and_integrators_arrive) {
  for (const RuleRow& row : rule_table()) {
    if (row.make == nullptr) continue;
    SCOPED_TRACE(row.name);
    const ObjectiveKind kind = row.integrates ? ObjectiveKind::fm : ObjectiveKind::eqm_dot;
    const Objective objective = {.kind = kind, .magnitude = {}};
    DescentOptions options = {.rule = row.kind, .limit = 60};
    ASSERT_NO_THROW(options.validate(objective));
    options = options.resolve(objective);
    const Rule rule = make_rule(options, objective);
    EXPECT_EQ(rule.keeps_time, row.integrates);
    const State start = {1, -2};
    const auto course = rule.start(start, [](int64_t, State& out) { out = 0; });
    const int64_t limit = options.stop().limit;
    int64_t steps = 0;
    Move move = Move::stage;
    for (int64_t asked = 0; asked < 1000 && steps < limit && move != Move::arrival; ++asked) {
      move = course->take(slope_at(course->probe()));
      if (move == Move::step || move == Move::arrival) ++steps;
    }
    if (row.integrates) {
      EXPECT_EQ(move, Move::arrival);
    }
    EXPECT_LT(slope_at(course->x()).energy, slope_at(start).energy);
  }
}

TEST(RuleTable, says_which_rules_can_show_a_model_its_gamma) {
  const Objective shown = {.kind = ObjectiveKind::eqm_noise_condition, .magnitude = {}};
  for (const RuleRow& row : rule_table()) {
    if (row.make == nullptr) continue;
    SCOPED_TRACE(row.name);
    const DescentOptions options = {.rule = row.kind};
    if (row.gamma == ShownGamma::never) {
      EXPECT_ANY_THROW(options.validate(shown));
    } else {
      ASSERT_NO_THROW(options.validate(shown));
      EXPECT_TRUE(make_rule(options.resolve(shown), shown).field_changes);
    }
  }
}

}  // namespace
}  // namespace eqm::test
