// Every refusal tells what to do: reads the sources and finds errors that are made without a hint.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/content_of.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

// Behind the literal or comment that begins at `at`, or `at` where none does.
size_t behind_literal(std::string_view text, size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 3) == "R\"(") return text.find(")\"", at) + 2;
  const char quote = text[at];
  const bool separates_digits = quote == '\'' && at > 0 && is_word(text[at - 1]);
  if ((quote != '"' && quote != '\'') || separates_digits) return at;
  for (++at; text[at] != quote; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

std::string trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \n") + 1 - first));
}

// The arguments of a call, `at` being behind its bracket.
std::vector<std::string> arguments(std::string_view text, size_t at) {
  std::vector<std::string> found;
  size_t begin = at;
  for (int depth = 1; depth > 0 && at < text.size();) {
    if (const size_t behind = behind_literal(text, at); behind != at) {
      at = behind;
      continue;
    }
    const char letter = text[at];
    if (letter == '(' || letter == '{' || letter == '[') ++depth;
    if (letter == ')' || letter == '}' || letter == ']') --depth;
    if (depth == 0 || (depth == 1 && letter == ',')) {
      found.push_back(trimmed(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  return found;
}

// "line 12" of every error without a hint. Mistakes of ours (kind internal) have one by themselves.
std::vector<std::string> errors_without_hint(std::string_view text) {
  std::vector<std::string> found;
  for (size_t at = 0; at < text.size();) {
    if (const size_t behind = behind_literal(text, at); behind != at) {
      at = behind;
      continue;
    }
    constexpr std::string_view kCall = "Error(";
    if (text.substr(at, kCall.size()) != kCall || (at > 0 && is_word(text[at - 1]))) {
      ++at;
      continue;
    }
    const std::vector<std::string> given = arguments(text, at + kCall.size());
    const bool is_made = !given.empty() && given[0].starts_with("ErrorKind::");
    const bool has_hint = given.size() >= 3 && given[2] != "\"\"" && given[2] != "{}";
    if (is_made && given[0] != "ErrorKind::internal" && !has_hint) {
      const auto lines = std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(at), '\n');
      found.push_back("line " + std::to_string(lines + 1));
    }
    at += kCall.size();
  }
  return found;
}

TEST(Hints, are_missed_where_there_are_none) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(errors_without_hint(R"x(throw Error(ErrorKind::usage, "a, b" + f(1, 2));)x"),
            Lines{"line 1"});
  EXPECT_EQ(errors_without_hint("x;\nthrow Error(ErrorKind::input,\n  g({1, 2}), \"\");"),
            Lines{"line 2"});
  EXPECT_EQ(errors_without_hint(R"x(Error(ErrorKind::io, "a (", "do b");)x"), Lines{});
  EXPECT_EQ(errors_without_hint(R"x(Error(ErrorKind::internal, "a");)x"), Lines{});
  EXPECT_EQ(errors_without_hint(R"x(// Error(ErrorKind::usage, "a"))x"), Lines{});
  EXPECT_EQ(errors_without_hint(R"x(OtherError(ErrorKind::usage, "a"); Error(kind, "a"))x"),
            Lines{});
}

TEST(Hints, come_with_every_refusal) {
  int files = 0;
  for (const char* folder : {"eqm", "cli"}) {
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(EQM_SOURCE_FOLDER) / folder)) {
      const std::string ending = entry.path().extension().string();
      if (ending != ".cpp" && ending != ".h") continue;
      ++files;
      for (const std::string& line : errors_without_hint(test::content_of(entry.path()))) {
        ADD_FAILURE() << entry.path().string() << ", " << line
                      << ": an error without a hint; say what to do about it";
      }
    }
  }
  EXPECT_GT(files, 300);
}

}  // namespace
}  // namespace eqm
