// Descriptions of files that hold tensors: weights and arrays.
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/app/describe_file.h"
#include "eqm/backbone/architecture_text.h"
#include "eqm/backbone/kinds.h"
#include "eqm/base/error.h"
#include "eqm/base/shell_word.h"
#include "eqm/io/npz.h"
#include "eqm/io/text.h"
#include "eqm/io/weights_file.h"
#include "eqm/measure/statistics_file.h"

namespace eqm::app {
namespace {

constexpr size_t kMostTensorsShown = 12;

std::string shape_text(const std::vector<int64_t>& shape) {
  return shape.empty() ? "one number" : fmt::format("{}", fmt::join(shape, " x "));
}

// What the weights are of, or empty: shapes determine only networks that we know.
std::string architecture_of(const WeightsFile& file) {
  WeightShapes shapes;
  for (const NamedWeights& item : file.tensors()) shapes[item.name] = item.view.shape;
  try {
    return architecture_text(kind_of_weights(shapes).from_shapes(shapes, {}));
  } catch (const Error&) {
    return "";
  }
}

std::string arguments_text(const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : arguments) {
    if (parts.size() < kMostTensorsShown) parts.push_back(in_quotes(name + "=" + value));
  }
  return fmt::format("{}{}", fmt::join(parts, ", "),
                     arguments.size() > kMostTensorsShown ? ", ..." : "");
}

}  // namespace

Description describe_weights(const std::filesystem::path& path, const DescriptionStyle& style) {
  const WeightsFile file = WeightsFile::open(path, WeightsChoice::automatic);
  std::map<std::string_view, size_t> types;
  double numbers = 0;
  for (const NamedWeights& item : file.tensors()) {
    ++types[name_of(item.view.dtype)];
    numbers += static_cast<double>(element_count(item.view.shape).value_or(0));
  }
  std::vector<std::string> stored;
  for (const auto& [type, count] : types) stored.push_back(fmt::format("{} {}", count, type));
  Description lines = {
      {"weights", path.string()},
      {"tensors", fmt::format("{} ({}), {:.2f} million numbers", file.tensors().size(),
                              fmt::join(stored, ", "), numbers / 1e6)}};
  if (!file.chosen().empty()) lines.emplace_back("chosen", in_quotes(file.chosen()));
  if (!file.arguments().empty()) lines.emplace_back("arguments", arguments_text(file.arguments()));
  if (const std::string architecture = architecture_of(file); !architecture.empty()) {
    lines.emplace_back("architecture", architecture);
    lines.emplace_back("next", fmt::format("eqm import {} {} MODEL.safetensors",
                                           shell_word(path.string()), style.option("out")));
  } else if (!file.tensors().empty()) {
    const NamedWeights& first = file.tensors().front();
    lines.emplace_back("first",
                       fmt::format("{}: {}", in_quotes(first.name), shape_text(first.view.shape)));
  }
  return lines;
}

Description describe_npz(const std::filesystem::path& path) {
  const NpzFile file = NpzFile::open(path);
  const std::vector<std::string> names = file.names();
  if (names.empty()) {
    throw Error(ErrorKind::input, in_quotes(path.string()) + " is a zip without arrays",
                "an .npz of numpy and a .pt of PyTorch can be described");
  }
  Description lines;
  if (holds_statistics(path)) {
    const FeatureStatistics statistics = read_statistics(path);
    lines.emplace_back("statistics", path.string());
    lines.emplace_back("network",
                       statistics.network.empty() ? "not recorded" : in_quotes(statistics.network));
    if (statistics.pictures > 0)
      lines.emplace_back("of", fmt::format("{} pictures", statistics.pictures));
  } else {
    lines.emplace_back("arrays", path.string());
  }
  size_t shown = 0;
  for (const std::string& name : names) {
    if (++shown > kMostTensorsShown) break;
    const NpyReader array = file.array(name);
    const NpyHeader& header = array.header();
    const bool pictures = name == "arr_0" && header.dtype == Dtype::u8 && header.shape.size() == 4;
    lines.emplace_back(in_quotes(name),
                       fmt::format("{} [{}]{}", name_of(header.dtype),
                                   fmt::join(header.shape, ", "), pictures ? ", pictures" : ""));
  }
  if (names.size() > kMostTensorsShown) {
    lines.emplace_back("", fmt::format("and {} more", names.size() - kMostTensorsShown));
  }
  return lines;
}

}  // namespace eqm::app
