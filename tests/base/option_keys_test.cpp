#include "eqm/base/option_keys.h"

#include <filesystem>
#include <regex>
#include <sstream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/content_of.h"

namespace eqm {
namespace {

std::string as_flag(std::string_view key) {
  return "--" + std::string(key);
}

TEST(OptionKeys, are_rendered_in_the_style_of_the_reader) {
  EXPECT_EQ(render_keys("raise {limit}, or omit {walk-order}", as_flag),
            "raise --limit, or omit --walk-order");
  EXPECT_EQ(render_keys("{beta2}{eta}", as_flag), "--beta2--eta");
  EXPECT_EQ(render_keys("raise {limit}", bare_key), "raise limit");
}

TEST(OptionKeys, leave_other_braces_as_they_are) {
  for (const char* text : {"", "no keys", "{", "}", "{}", "{ eta }", "{Eta}", "{-eta}", "{2}",
                           "a { b", "{eta", "}{"}) {
    EXPECT_EQ(render_keys(text, as_flag), text);
  }
  EXPECT_EQ(render_keys("{{eta}}", as_flag), "{--eta}");
  EXPECT_EQ(render_keys("{\"a\": {eta}", as_flag), "{\"a\": --eta");
}

// Lines of source with a flag of the terminal in a string; those of other programs may be there.
std::vector<std::string> lines_with_flags(const std::string& source) {
  static const std::regex flag(R"x("(?!tensorboard )[^"]*--[a-z][^"]*")x"), comment(R"x(^\s*//)x");
  std::vector<std::string> found;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_search(line, flag) && !std::regex_search(line, comment)) found.push_back(line);
  }
  return found;
}

TEST(OptionKeys, are_how_the_library_names_options) {
  EXPECT_EQ(lines_with_flags("a;\nreturn \"raise --limit\";").size(), 1u);
  EXPECT_EQ(lines_with_flags("// say \"--limit\"\n--count; \"{limit} -- or\"").size(), 0u);
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(EQM_SOURCE_FOLDER) / "eqm")) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".cpp" && ending != ".h") continue;
    ++files;
    for (const std::string& line : lines_with_flags(test::content_of(entry.path()))) {
      ADD_FAILURE() << entry.path().string() << " names an option by its flag: " << line;
    }
  }
  EXPECT_GT(files, 300);
}

}  // namespace
}  // namespace eqm
