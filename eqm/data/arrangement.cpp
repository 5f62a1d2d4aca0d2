#include "eqm/data/arrangement.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/data/missing_part.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

struct Item {
  std::string_view rest;  // what remains of the path
  size_t index = 0;
};

using Items = std::vector<Item>;

constexpr std::array<std::string_view, 4> kTestNames = {"test", "val", "valid", "validation"};
constexpr std::string_view kTrainName = "train";

std::string_view without_dot_slash(std::string_view path) {
  while (path.starts_with("./") || path.starts_with("/")) path.remove_prefix(path.find('/') + 1);
  return path;
}

// Empty for a file at the top.
std::string_view first_element(std::string_view path) {
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view behind_first(std::string_view path) {
  return path.substr(path.find('/') + 1);
}

// In bytewise order.
Items images_in(const std::vector<std::string>& paths) {
  std::map<std::string_view, size_t> last;
  for (size_t i = 0; i < paths.size(); ++i) {
    const std::string_view path = without_dot_slash(paths[i]);
    if (is_image_name(path)) last[path] = i;
  }
  Items items;
  for (const auto& [path, index] : last) items.push_back({path, index});
  return items;
}

std::set<std::string_view> first_elements(const Items& items) {
  std::set<std::string_view> names;
  for (const Item& item : items) names.insert(first_element(item.rest));
  return names;
}

bool is_test_name(std::string_view name) {
  return std::find(kTestNames.begin(), kTestNames.end(), name) != kTestNames.end();
}

bool are_split_names(const std::set<std::string_view>& names) {
  return std::all_of(names.begin(), names.end(), is_part_name);
}

bool pass_over_common_root(Items& items) {
  const std::set<std::string_view> names = first_elements(items);
  const bool deep = std::all_of(items.begin(), items.end(), [](const Item& item) {
    return std::count(item.rest.begin(), item.rest.end(), '/') >= 2;
  });
  if (names.size() != 1 || !deep || are_split_names(names)) return false;
  for (Item& item : items) item.rest = behind_first(item.rest);
  return true;
}

// The folder that holds the wanted part; empty when there is none.
std::string_view folder_of(Split split, const std::set<std::string_view>& names) {
  if (split == Split::train) return names.contains(kTrainName) ? kTrainName : std::string_view();
  for (const std::string_view name : kTestNames) {
    if (names.contains(name)) return name;
  }
  return {};
}

[[noreturn]] void refuse_part(Split split, const std::string& source) {
  throw MissingPart(
      fmt::format("{} has no {} part", in_quotes(source), name_in(split_names(), split)),
      "expected folders train and test in it; or name the part itself");
}

// Answers the items of the part and takes the parts' folders off all paths.
Items choose_part(Items& items, Split split, const std::string& source) {
  const std::set<std::string_view> names = first_elements(items);
  if (!are_split_names(names)) {
    if (split == Split::test) refuse_part(split, source);
    return items;
  }
  const std::string_view wanted = folder_of(split, names);
  if (wanted.empty()) refuse_part(split, source);
  Items chosen;
  for (Item& item : items) {
    const bool is_wanted = first_element(item.rest) == wanted;
    item.rest = behind_first(item.rest);
    if (is_wanted) chosen.push_back(item);
  }
  return chosen;
}

void require_all_in_classes(const Items& items, const std::string& source) {
  for (const Item& item : items) {
    if (!first_element(item.rest).empty()) continue;
    throw Error(ErrorKind::input,
                fmt::format("{} has images in class folders and some outside, such as {}",
                            in_quotes(source), in_quotes(item.rest)),
                "put every image into the folder of its class, or all into one");
  }
}

}  // namespace

bool is_part_name(std::string_view name) {
  return name == kTrainName || is_test_name(name);
}

bool is_image_name(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  if (name.starts_with('.')) return false;
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string ending;
  for (const char letter : name.substr(dot + 1)) {
    ending.push_back(letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a')
                                                    : letter);
  }
  return ending == "png" || ending == "jpg" || ending == "jpeg";
}

Arrangement arrange_images(const std::vector<std::string>& paths, Split split,
                           const std::string& source) {
  Items items = images_in(paths);
  if (items.empty()) {
    throw Error(ErrorKind::input, in_quotes(source) + " has no images",
                "expected .png, .jpg or .jpeg files, in one folder per class or in none");
  }
  while (pass_over_common_root(items)) {
  }
  const Items chosen = choose_part(items, split, source);
  Arrangement arrangement;
  for (const Item& item : chosen) arrangement.order.push_back(item.index);
  if (first_elements(chosen) == std::set<std::string_view>{""}) return arrangement;
  require_all_in_classes(chosen, source);
  // Of all parts, so that a label means the same in each.
  std::set<std::string_view> names = first_elements(items);
  names.erase("");
  arrangement.classes.assign(names.begin(), names.end());
  for (const Item& item : chosen) {
    const auto place = std::lower_bound(arrangement.classes.begin(), arrangement.classes.end(),
                                        first_element(item.rest));
    arrangement.labels.push_back(place - arrangement.classes.begin());
  }
  return arrangement;
}

}  // namespace eqm
