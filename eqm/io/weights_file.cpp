#include "eqm/io/weights_file.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/file_kind.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

constexpr size_t kMostShown = 8;

// Where files keep weights, the preferred first.
std::vector<std::string_view> groups_of(WeightsChoice choice) {
  if (choice == WeightsChoice::ema) return {"ema"};
  if (choice == WeightsChoice::model) return {"model", "state_dict"};
  return {"ema", "model", "state_dict"};
}

[[noreturn]] void refuse_weights(const std::string& source, std::string_view problem,
                                 const std::string& hint) {
  throw Error(ErrorKind::input, fmt::format("{} {}", in_quotes(source), problem), hint);
}

[[noreturn]] void refuse_choice(const std::string& source, WeightsChoice choice,
                                const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) {
    if (shown.size() < kMostShown) shown.push_back(in_quotes(name));
  }
  refuse_weights(source,
                 choice == WeightsChoice::automatic
                     ? "holds no tensors by name"
                     : fmt::format("has no '{}' weights", groups_of(choice).front()),
                 names.empty() ? "it is empty; is it the right file?"
                               : fmt::format("it holds {}{}", fmt::join(shown, ", "),
                                             names.size() > kMostShown ? ", ..." : ""));
}

std::vector<std::string> keys_of(const PickleValue& dict) {
  std::vector<std::string> keys;
  for (size_t i = 0; i + 1 < dict.size(); i += 2)
    keys.emplace_back(dict.at(i).text().value_or("?"));
  return keys;
}

// The tensors of a dictionary; what else is in it is left out.
std::vector<NamedWeights> tensors_of(const TorchFile& file, const PickleValue& dict) {
  std::map<std::string, NamedWeights> tensors;  // the last of equal names counts, as in Python
  for (size_t i = 0; i + 1 < dict.size(); i += 2) {
    const auto name = dict.at(i).text();
    if (!name) continue;
    auto tensor = file.tensor(dict.at(i + 1));
    if (!tensor) continue;
    tensors.insert_or_assign(std::string(*name),
                             NamedWeights{.name = std::string(*name),
                                          .view = std::move(tensor->view),
                                          .storage = std::move(tensor->storage)});
  }
  std::vector<NamedWeights> list;
  for (auto& entry : tensors) list.push_back(std::move(entry.second));
  return list;
}

std::optional<std::string> plain_text(const PickleValue& value) {
  if (value.is(PickleKind::none)) return "None";
  if (const auto truth = value.boolean()) return *truth ? "True" : "False";
  if (const auto number = value.integer()) return std::to_string(*number);
  if (const auto number = value.real()) return fmt::format("{}", *number);
  if (const auto text = value.text()) return std::string(*text);
  return std::nullopt;
}

// A dictionary, or an object (argparse.Namespace) whose state is one.
std::map<std::string, std::string> plain_values(const PickleValue& value) {
  std::map<std::string, std::string> values;
  const PickleValue dict = value.is(PickleKind::dict) ? value : value.state().value_or(value);
  if (!dict.is(PickleKind::dict)) return values;
  for (size_t i = 0; i + 1 < dict.size(); i += 2) {
    const auto key = dict.at(i).text();
    const auto text = plain_text(dict.at(i + 1));
    if (key && text) values[std::string(*key)] = *text;
  }
  return values;
}

}  // namespace

WeightsFile WeightsFile::parse(std::span<const std::byte> bytes, const std::string& source,
                               WeightsChoice choice) {
  WeightsFile file;
  // Safetensors first: the length of a header may begin as a pickle does.
  if (kind_of_bytes(bytes) == FileKind::safetensors) {
    file.read_safetensors(bytes, source, choice);
  } else if (is_torch_file(bytes)) {
    file.read_torch(bytes, source, choice);
  } else {
    refuse_weights(source, "is neither a PyTorch checkpoint nor safetensors",
                   "give a .pt or .safetensors file");
  }
  file.strip_wrappers();
  return file;
}

WeightsFile WeightsFile::open(const std::filesystem::path& path, WeightsChoice choice) {
  auto mapping = std::make_shared<const MappedFile>(MappedFile::open(path));
  WeightsFile file = parse(mapping->bytes(), path.string(), choice);
  file.mapping_ = std::move(mapping);
  return file;
}

void WeightsFile::read_torch(std::span<const std::byte> bytes, const std::string& source,
                             WeightsChoice choice) {
  torch_ = std::make_shared<const TorchFile>(TorchFile::parse(bytes, source));
  const PickleValue root = torch_->root();
  if (!root.is(PickleKind::dict)) {
    refuse_weights(source, fmt::format("holds {} instead of a dictionary", described(root)),
                   "save model.state_dict(), not the model itself");
  }
  if (const auto arguments = root.find("args")) arguments_ = plain_values(*arguments);
  if (const auto attributes = root.state()) metadata_ = plain_values(*attributes);
  for (const std::string_view group : groups_of(choice)) {
    const auto found = root.find(group);
    if (!found || !found->is(PickleKind::dict)) continue;
    chosen_ = group;
    tensors_ = tensors_of(*torch_, *found);
    if (tensors_.empty()) refuse_choice(source, choice, keys_of(*found));
    return;
  }
  if (choice == WeightsChoice::automatic) tensors_ = tensors_of(*torch_, root);
  if (tensors_.empty()) refuse_choice(source, choice, keys_of(root));
}

void WeightsFile::read_safetensors(std::span<const std::byte> bytes, const std::string& source,
                                   WeightsChoice choice) {
  const SafetensorsFile file = SafetensorsFile::parse(bytes, source);
  metadata_ = file.metadata();
  const auto add_all = [&](const std::string& prefix) {
    for (const std::string& name : file.names()) {
      if (!name.starts_with(prefix)) continue;
      tensors_.push_back({.name = name.substr(prefix.size()), .view = strided(file.at(name))});
    }
  };
  for (const std::string_view group : groups_of(choice)) {
    add_all(std::string(group) + ".");
    if (tensors_.empty()) continue;
    chosen_ = group;
    return;
  }
  if (choice == WeightsChoice::automatic) add_all("");
  if (tensors_.empty()) refuse_choice(source, choice, file.names());
}

// Wrappers of data-parallel and compiled modules put their own word before every name.
void WeightsFile::strip_wrappers() {
  for (const std::string_view word : {"_orig_mod.", "module."}) {
    const bool everywhere =
        std::all_of(tensors_.begin(), tensors_.end(),
                    [&](const NamedWeights& item) { return item.name.starts_with(word); });
    if (!everywhere) continue;
    for (NamedWeights& item : tensors_) item.name.erase(0, word.size());
  }
}

void WeightsFile::check(const NamedWeights& weights) const {
  if (torch_) torch_->check_storage(weights.storage);
}

void WeightsFile::release(const NamedWeights& weights) const {
  if (mapping_) mapping_->release(weights.view.bytes);
}

}  // namespace eqm
