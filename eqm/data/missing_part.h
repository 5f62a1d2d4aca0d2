// The one error of a data set that a caller may want to go on after: it has no such part.
#pragma once

#include "eqm/base/error.h"

namespace eqm {

class MissingPart : public Error {
 public:
  MissingPart(const std::string& sentence, std::string hint)
      : Error(ErrorKind::input, sentence, std::move(hint)) {}
};

}  // namespace eqm
