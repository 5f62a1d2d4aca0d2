// Runs something that must throw eqm::Error and checks that the error is a good one.
#pragma once

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "eqm/base/error.h"

namespace eqm::test {

// The sentence must contain `part` and be one line without a final full stop.
inline void expect_error(ErrorKind kind, const std::string& part,
                         const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string sentence = error.what();
    EXPECT_EQ(name_of(error.kind()), name_of(kind)) << sentence;
    EXPECT_NE(sentence.find(part), std::string::npos) << "'" << part << "' is not in: " << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    EXPECT_NE(sentence.back(), '.') << sentence;
    return;
  }
  ADD_FAILURE() << "expected an error with '" << part << "'";
}

// Errors about content also come with a hint.
inline void expect_input_error(const std::string& part, const std::function<void()>& action) {
  expect_error(ErrorKind::input, part, [&action] {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_FALSE(error.hint().empty()) << error.what();
      throw;
    }
  });
}

}  // namespace eqm::test
