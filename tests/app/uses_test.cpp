// The table of uses, and those that only find something out.
#include "eqm/app/uses.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "eqm/app/doctor.h"
#include "eqm/app/known_values.h"
#include "eqm/app/list.h"
#include "eqm/base/error.h"
#include "eqm/base/version.h"
#include "tests/app/hint_of.h"
#include "tests/app/recording_host.h"

namespace eqm::test {
namespace {

TEST(Uses, declare_what_their_rows_name) {
  std::set<std::string> names;
  for (const app::Use& use : app::uses()) {
    SCOPED_TRACE(use.name);
    EXPECT_TRUE(names.insert(use.name).second) << "two have this name";
    EXPECT_FALSE(use.summary.empty());
    OptionSet options;
    const std::shared_ptr<void> values = use.declare(options);
    EXPECT_FALSE(options.options().empty());
    EXPECT_EQ(options.find(use.file_key), nullptr) << "an option has the key of the file";
    if (!use.subject.empty()) {
      EXPECT_NE(options.find(use.subject), nullptr);
    }
  }
  EXPECT_EQ(app::use_named("train").file_key, "recipe");
  EXPECT_THROW(app::use_named("nothing"), Error);
}

TEST(Uses, declarations_do_not_share_their_values) {
  OptionSet first, second;
  const auto values = app::use_named("sample").declare(first);
  const auto others = app::use_named("sample").declare(second);
  first.set_text("seed", "7");
  EXPECT_EQ(to_text(first.find("seed")->get()), "7");
  EXPECT_EQ(to_text(second.find("seed")->get()), "0");
}

TEST(KnownValues, are_choices_or_names_of_the_catalogue) {
  const auto known = [](const char* name, const char* key) {
    OptionSet options;
    const auto values = app::use_named(name).declare(options);
    return app::known_values(app::use_named(name), *options.find(key));
  };
  const auto has = [](const std::vector<std::string>& values, const std::string& value) {
    return std::ranges::find(values, value) != values.end();
  };
  EXPECT_TRUE(has(known("sample", "rule"), "nesterov"));
  EXPECT_TRUE(has(known("train", "model"), "XS/4")) << "a preset";
  EXPECT_TRUE(has(known("list", "topic"), "rules"));
  EXPECT_TRUE(known("sample", "out").empty());
  EXPECT_TRUE(known("sample", "seed").empty());
  OptionSet options;
  const auto values = app::use_named("sample").declare(options);
  EXPECT_TRUE(app::may_be_path(*options.find("out")));
  EXPECT_FALSE(app::may_be_path(*options.find("labels")));
  EXPECT_FALSE(app::may_be_path(*options.find("rule")));
  EXPECT_FALSE(app::may_be_path(*options.find("seed")));
}

TEST(List, has_topics_and_what_is_in_them) {
  RecordingHost host;
  const auto topics = app::names_of(app::run(app::ListOptions{}, host));
  EXPECT_EQ(topics, app::names_of(app::catalogue_topics()));
  const auto rules = app::names_of(app::run(app::ListOptions{.topic = "rules"}, host));
  EXPECT_NE(std::ranges::find(rules, "nesterov"), rules.end());
  const std::string hint = hint_of([&] { app::run(app::ListOptions{.topic = "rule"}, host); });
  EXPECT_NE(hint.find("rules"), std::string::npos) << hint;
}

TEST(Doctor, finds_the_version_the_machine_and_the_data) {
  RecordingHost host;
  const std::vector<Finding> findings = app::run(app::DoctorOptions{}, host);
  ASSERT_GT(findings.size(), 3U);
  EXPECT_EQ(findings.front().topic, "eqm");
  EXPECT_EQ(findings.front().value, version());
  EXPECT_NE(std::ranges::find(findings, "kernels", &Finding::topic), findings.end());
  for (const Finding& finding : findings) {
    EXPECT_EQ(finding.value == "not found" && finding.hint.empty(), false) << finding.topic;
  }
  app::DoctorOptions nonsense;
  nonsense.runtime.device = "abacus";
  EXPECT_THROW(app::run(nonsense, host), Error);
}

}  // namespace
}  // namespace eqm::test
