#include "eqm/backbone/weight_shapes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

std::string misshapen(const std::string& name, const Shape& shape) {
  return fmt::format("'{}' has shape [{}]", name, fmt::join(shape, ", "));
}

}  // namespace

double number_count(const ShapesInOrder& shapes) {
  double count = 0;
  for (const auto& entry : shapes) {
    double numbers = 1;
    for (const int64_t size : entry.second) numbers *= static_cast<double>(size);
    count += numbers;
  }
  return count;
}

void refuse_weights(const std::string& network, const std::string& problem) {
  throw Error(ErrorKind::input,
              fmt::format("these are not the weights of {}: {}", network, problem),
              "weights of EqM, SiT and the U-Net of Flow Matching are read, under the reference's "
              "names; is it another model?");
}

const Shape& shape_of(const std::string& network, const WeightShapes& shapes,
                      const std::string& name, size_t rank) {
  const auto found = shapes.find(name);
  if (found == shapes.end()) refuse_weights(network, fmt::format("'{}' is missing", name));
  const Shape& shape = found->second;
  bool sensible = shape.size() == rank;
  for (const int64_t size : shape) sensible = sensible && size > 0;
  if (!sensible) refuse_weights(network, misshapen(name, shape));
  return shape;
}

std::string first_misfit(const WeightShapes& shapes, const ShapesInOrder& needed) {
  for (const auto& [name, wanted] : needed) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) return fmt::format("'{}' is missing", name);
    if (found->second == wanted) continue;
    return fmt::format("{} where [{}] is needed", misshapen(name, found->second),
                       fmt::join(wanted, ", "));
  }
  if (shapes.size() == needed.size()) return "";
  const WeightShapes by_name(needed.begin(), needed.end());
  for (const auto& entry : shapes) {
    if (!by_name.contains(entry.first)) return in_quotes(entry.first) + " is too many";
  }
  return "";
}

size_t names_in_common(const WeightShapes& shapes, const ShapesInOrder& needed) {
  size_t count = 0;
  for (const auto& entry : needed) count += shapes.count(entry.first);
  return count;
}

}  // namespace eqm
