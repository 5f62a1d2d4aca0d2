#include "eqm/data/class_names.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/utf8.h"
#include "eqm/io/mapped_file.h"
#include "eqm/io/text.h"

namespace eqm {

void require_utf8_classes(const Source& source) {
  for (const std::string& name : source.class_names()) {
    if (is_utf8(name)) continue;
    throw Error(ErrorKind::input, fmt::format("the class name {} is not UTF-8", in_quotes(name)),
                "rename its folder");
  }
}

std::vector<std::string> read_class_names(const std::filesystem::path& path,
                                          const std::string& hint) {
  const MappedFile file = MappedFile::open(path);
  std::vector<std::string> names;
  std::string_view text = file.text();
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // Windows editors write one
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view name = text.substr(0, end);
    if (name.ends_with('\r')) name.remove_suffix(1);
    name = trimmed(name);
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  // Each must be fit for a terminal and for a model's metadata.
  if (names.empty() || !is_utf8(file.text())) {
    throw Error(ErrorKind::input, in_quotes(path.string()) + " is not a list of class names", hint);
  }
  return names;
}

}  // namespace eqm
