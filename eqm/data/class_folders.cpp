#include "eqm/data/class_folders.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "eqm/base/utf8.h"
#include "eqm/data/arrangement.h"

namespace eqm {
namespace {

constexpr size_t kMostFolderBytes = 200;  // file systems end at 255; some are left for a number

// As many whole characters as fit; bytes that are no UTF-8 count as one each.
std::string_view cut(std::string_view text, size_t most) {
  size_t end = 0;
  for (size_t next = 0; next <= most;) {
    end = next;
    if (end == text.size()) break;
    if (!next_code_point(text, next)) ++next;
  }
  return text.substr(0, end);
}

std::string folder_for(std::string_view name) {
  std::string folder(cut(name, kMostFolderBytes));
  for (char& letter : folder) {
    const bool control = static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
    if (letter == '/' || letter == '\\' || control) letter = '-';
  }
  // Hidden folders are passed over, and those called train or test are parts.
  if (folder.empty() || folder.front() == '.' || is_part_name(folder)) folder = "_" + folder;
  return folder;
}

int64_t number_in_name(std::string_view text) {
  int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

int64_t place_of(const std::string& name, const std::vector<std::string>& list) {
  const auto found = std::ranges::find(list, name);
  return found == list.end() ? -1 : found - list.begin();
}

}  // namespace

std::vector<std::string> class_folders(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    std::string folder = folder_for(name);
    while (!taken.insert(folder).second) folder += fmt::format("-{}", folders.size());
    folders.push_back(std::move(folder));
  }
  return folders;
}

std::vector<std::string> numbered_folders(int64_t classes) {
  const size_t digits = std::to_string(std::max<int64_t>(0, classes - 1)).size();
  std::vector<std::string> folders;
  for (int64_t i = 0; i < classes; ++i) folders.push_back(fmt::format("{:0{}}", i, digits));
  return folders;
}

std::vector<int64_t> match_classes(const std::vector<std::string>& names,
                                   const std::vector<std::string>& known) {
  const std::vector<std::string> folders = class_folders(known);
  std::vector<int64_t> classes;
  for (const std::string& name : names) {
    int64_t match = place_of(name, folders);  // of two classes of one name each has its folder
    if (match < 0) match = place_of(name, known);
    const int64_t number = number_in_name(name);
    if (match < 0 && number < static_cast<int64_t>(known.size())) match = number;
    classes.push_back(match);
  }
  return classes;
}

std::vector<int64_t> match_classes(const Source& source, const std::vector<std::string>& known) {
  if (source.has_named_classes()) return match_classes(source.class_names(), known);
  std::vector<int64_t> classes;
  for (size_t i = 0; i < source.class_names().size(); ++i) {
    classes.push_back(i < known.size() ? static_cast<int64_t>(i) : -1);
  }
  return classes;
}

}  // namespace eqm
