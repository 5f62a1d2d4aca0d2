#include "eqm/base/options.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <variant>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/expect_error.h"

namespace eqm {
namespace {

using test::expect_error;

enum class Rule { gd, nesterov };

struct Sample {
  int64_t steps = 100;
  double eta = 0.05;
  double share = 0.5;
  bool flow = true;
  std::string data = "moons";
  std::string precision = "float32";
  Rule rule = Rule::gd;

  void declare(OptionSet& set) {
    set.text("data", data, "what to learn");
    set.section("training");
    set.count("steps", steps, Range::between(1, 1e6), "optimiser steps");
    set.flag("flow", flow, "also learn the flow");
    set.section("descent");
    set.number("eta", eta, Range::positive(), "step size");
    set.number("share", share, Range::between(0, 1), "a share");
    set.choice("precision", precision, {"float32", "float64"}, "of all numbers");
    set.choice<Rule>("rule", rule, {{"gd", Rule::gd}, {"nesterov", Rule::nesterov}}, "update rule");
  }
};

class Options : public ::testing::Test {
 protected:
  Options() { values_.declare(set_); }

  void set(const std::string& name, const std::string& text) { set_.set_text(name, text); }
  void set_value(const std::string& name, const OptionValue& value) {
    set_.set_value(*set_.find(name), value, name);
  }
  // Refused with a usage error that names the flag, and nothing is changed.
  void expect_refused(const std::string& name, const std::string& text, const std::string& part) {
    const OptionValue before = set_.find(name)->get();
    expect_error(ErrorKind::usage, "{" + name + "}: " + part, [&] { set(name, text); });
    EXPECT_EQ(set_.find(name)->get(), before);
  }
  std::string hint_of(const std::string& name, const std::string& text) {
    try {
      set(name, text);
    } catch (const Error& error) {
      return error.hint();
    }
    return "no error";
  }

  Sample values_;
  OptionSet set_;
};

TEST_F(Options, are_declared_in_order_with_their_sections) {
  EXPECT_EQ(set_.names(), (std::vector<std::string>{"data", "steps", "flow", "eta", "share",
                                                    "precision", "rule"}));
  EXPECT_EQ(set_.find("data")->key(), "data");
  EXPECT_EQ(set_.find("steps")->key(), "training.steps");
  EXPECT_EQ(set_.find("rule")->key(), "descent.rule");
  EXPECT_EQ(set_.find("absent"), nullptr);
}

TEST_F(Options, take_their_defaults_from_the_struct) {
  EXPECT_EQ(set_.find("steps")->standard, OptionValue(int64_t{100}));
  EXPECT_EQ(set_.find("eta")->standard, OptionValue(0.05));
  EXPECT_EQ(set_.find("flow")->standard, OptionValue(true));
  EXPECT_EQ(set_.find("data")->standard, OptionValue(std::string("moons")));
  EXPECT_EQ(set_.find("rule")->standard, OptionValue(std::string("gd")));
}

TEST_F(Options, keep_their_defaults_when_values_change) {
  set("steps", "7");
  EXPECT_EQ(set_.find("steps")->standard, OptionValue(int64_t{100}));
  EXPECT_EQ(set_.find("steps")->get(), OptionValue(int64_t{7}));
}

TEST_F(Options, write_to_the_struct) {
  set("steps", "200");
  set("eta", "1e-3");
  set("data", "a b.csv");
  set("precision", "float64");
  set("rule", "nesterov");
  EXPECT_EQ(values_.steps, 200);
  EXPECT_EQ(values_.eta, 1e-3);
  EXPECT_EQ(values_.data, "a b.csv");
  EXPECT_EQ(values_.precision, "float64");
  EXPECT_EQ(values_.rule, Rule::nesterov);
}

TEST_F(Options, read_yes_and_no_in_every_spelling) {
  for (const char* text : {"false", "no", "0", "off"}) {
    values_.flow = true;
    set("flow", text);
    EXPECT_FALSE(values_.flow) << text;
  }
  for (const char* text : {"true", "yes", "1", "on"}) {
    values_.flow = false;
    set("flow", text);
    EXPECT_TRUE(values_.flow) << text;
  }
  expect_refused("flow", "maybe", "'maybe' is neither yes nor no");
}

TEST_F(Options, accept_a_count_with_an_exponent) {
  set("steps", "1e4");
  EXPECT_EQ(values_.steps, 10000);
  set("steps", "2.5e3");
  EXPECT_EQ(values_.steps, 2500);
}

TEST_F(Options, refuse_what_is_no_whole_number_for_a_count) {
  for (const char* text : {"", "many", "1.5", "1e-1", "12x", " 1", "1 ", "0x10", "nan", "inf",
                           "1e300", "99999999999999999999", "1\n2"}) {
    const OptionValue before = set_.find("steps")->get();
    EXPECT_THROW(set("steps", text), Error) << text;
    EXPECT_EQ(set_.find("steps")->get(), before) << text;
  }
  expect_refused("steps", "1.5", "'1.5' is not a whole number");
}

TEST_F(Options, refuse_what_is_no_number) {
  for (const char* text : {"", "fast", "1,5", "1.5s", "--", "1e999"}) {
    expect_refused("eta", text, std::string("'") + text + "' is not a number");
  }
}

TEST_F(Options, refuse_numbers_that_are_not_finite) {
  for (const char* text : {"nan", "inf", "infinity"}) expect_refused("eta", text, "'");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), kInfinity, -kInfinity}) {
    expect_error(ErrorKind::usage, "not finite", [&] { set_value("eta", value); });
  }
  EXPECT_EQ(values_.eta, 0.05);
}

TEST_F(Options, include_the_bounds_of_a_range) {
  for (const char* text : {"0", "1", "0.5", "-0"}) set("share", text);
  set("steps", "1");
  set("steps", "1000000");
  expect_refused("share", "-1e-300", "-1e-300 is out of range");
  expect_refused("share", "1.0000000000000002", "1.0000000000000002 is out of range");
  expect_refused("steps", "0", "0 is out of range");
  expect_refused("steps", "1000001", "1000001 is out of range");
}

TEST_F(Options, exclude_a_lower_bound_that_must_be_exceeded) {
  expect_refused("eta", "0", "0 is out of range");
  expect_refused("eta", "-1", "-1 is out of range");
  set("eta", "1e-300");
  EXPECT_EQ(values_.eta, 1e-300);
}

TEST_F(Options, hint_at_the_type_and_the_range) {
  EXPECT_EQ(hint_of("steps", "0"), "{steps} takes a whole number, from 1 to 1000000");
  EXPECT_EQ(hint_of("eta", "x"), "{eta} takes a number, above 0");
  EXPECT_EQ(hint_of("flow", "x"), "{flow} takes yes/no");
}

TEST_F(Options, refuse_values_of_the_wrong_type) {
  const std::string text = "many";
  for (const char* name : {"steps", "eta", "flow"}) {
    expect_error(ErrorKind::usage, "of the wrong type", [&] { set_value(name, text); });
  }
  for (const char* name : {"data", "precision", "rule", "flow"}) {
    expect_error(ErrorKind::usage, "'3' is of the wrong type",
                 [&] { set_value(name, int64_t{3}); });
  }
  expect_error(ErrorKind::usage, "'1.5' is of the wrong type", [&] { set_value("steps", 1.5); });
  expect_error(ErrorKind::usage, "'true' is of the wrong type", [&] { set_value("eta", true); });
}

TEST_F(Options, take_a_whole_number_for_a_number) {
  set_value("eta", int64_t{2});
  EXPECT_EQ(values_.eta, 2.0);
  expect_error(ErrorKind::usage, "out of range", [&] { set_value("eta", int64_t{0}); });
}

TEST_F(Options, suggest_the_nearest_choice_of_text_and_of_an_enumeration) {
  expect_refused("precision", "flaot64", "'flaot64' is not one of its choices");
  EXPECT_EQ(hint_of("precision", "flaot64"), "did you mean 'float64'?");
  expect_refused("rule", "nestrov", "'nestrov' is not one of its choices");
  EXPECT_EQ(hint_of("rule", "nestrov"), "did you mean 'nesterov'?");
  EXPECT_EQ(hint_of("rule", "momentum"), "one of: gd, nesterov");
  EXPECT_EQ(values_.rule, Rule::gd);
}

TEST_F(Options, suggest_the_nearest_name_for_an_unknown_one) {
  expect_error(ErrorKind::usage, "unknown option 'stesp'", [&] { set("stesp", "1"); });
  EXPECT_EQ(hint_of("stesp", "1"), "did you mean 'steps'?");
}

TEST_F(Options, declared_twice_are_our_own_mistake) {
  int64_t again = 0;
  expect_error(ErrorKind::internal, "'steps' is declared twice",
               [&] { set_.count("steps", again, {}, ""); });
}

TEST_F(Options, tell_their_type) {
  EXPECT_EQ(set_.find("steps")->type, "a whole number");
  EXPECT_EQ(set_.find("rule")->type, "one of gd, nesterov");
}

TEST(Range, says_its_bounds) {
  EXPECT_EQ(Range{}.text(), "");
  EXPECT_EQ(Range::positive().text(), "above 0");
  EXPECT_EQ(Range::at_least(1).text(), "at least 1");
  EXPECT_EQ(Range::between(0, 1).text(), "from 0 to 1");
  EXPECT_EQ((Range{.least = 0, .most = 1, .above = true}.text()), "above 0 to 1");
  EXPECT_EQ((Range{.most = 3}.text()), "at most 3");
}

TEST(Range, never_holds_nan) {
  EXPECT_FALSE(Range{}.contains(std::nan("")));
  EXPECT_TRUE(Range{}.contains(1e308));
}

RC_GTEST_PROP(ToText, reads_back_to_the_same_number, (int64_t count, uint64_t bits)) {
  const auto number = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(number));
  int64_t counted = 0;
  double numbered = 0;
  OptionSet set;
  set.count("count", counted, {}, "");
  set.number("number", numbered, {}, "");
  set.set_text("count", to_text(count));
  set.set_text("number", to_text(number));
  RC_ASSERT(counted == count);
  RC_ASSERT(std::bit_cast<uint64_t>(numbered) == bits);
}

TEST(OptionSet, refuses_a_zero_byte_in_text) {
  std::string target = "a";
  OptionSet set;
  set.text("out", target, "a path");
  expect_error(ErrorKind::usage, "zero byte",
               [&] { set.set_text("out", std::string_view("a\0b", 3)); });
  EXPECT_EQ(target, "a");
}

TEST(OptionSet, refuses_text_that_is_not_utf8) {
  std::string target = "a";
  OptionSet set;
  set.text("out", target, "a path");
  for (const char* text : {"\xff", "caf\xe9", "a\xc3"}) {
    expect_error(ErrorKind::usage, "{out}: the text is not UTF-8",
                 [&] { set.set_text("out", text); });
  }
  EXPECT_EQ(target, "a");
  set.set_text("out", "caf\xc3\xa9");
  EXPECT_EQ(target, "caf\xc3\xa9");
}

}  // namespace
}  // namespace eqm
