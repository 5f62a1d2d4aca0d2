#include "eqm/data/class_names.h"

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/utf8.h"
#include "eqm/io/text.h"

namespace eqm {

void require_utf8_classes(const Source& source) {
  for (const std::string& name : source.class_names()) {
    if (is_utf8(name)) continue;
    throw Error(ErrorKind::input, fmt::format("the class name {} is not UTF-8", in_quotes(name)),
                "rename its folder");
  }
}

}  // namespace eqm
