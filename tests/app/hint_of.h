// The hint of the error that something throws, for tests of what it tells its reader.
#pragma once

#include <functional>
#include <string>

#include "eqm/base/error.h"

namespace eqm::test {

// Empty where nothing is thrown.
inline std::string hint_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.hint();
  }
  return {};
}

}  // namespace eqm::test
