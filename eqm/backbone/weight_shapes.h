// Names and shapes of weights from a file that nobody has checked, against those of a network.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "eqm/tensor/torch.h"

namespace eqm {

using WeightShapes = std::map<std::string, Shape>;
using ShapesInOrder = std::vector<std::pair<std::string, Shape>>;

// How many numbers they hold in all.
double number_count(const ShapesInOrder& shapes);

// What shapes do not determine.
struct ShapeHints {
  int64_t heads = 0;          // 0: those of the preset of this width
  int64_t classes = 0;        // 0: the label table has a row for the null class
  int64_t head_channels = 0;  // of a U-Net, in place of heads
  int64_t size = 0;           // of a U-Net's states; 0: 32, as CIFAR-10's
};

// Throws an input error: these are not the weights of `network` ("a SiT").
[[noreturn]] void refuse_weights(const std::string& network, const std::string& problem);

// The shape of one of them, of this rank and without empty sizes; an input error otherwise.
const Shape& shape_of(const std::string& network, const WeightShapes& shapes,
                      const std::string& name, size_t rank);

// The first name or shape that is missing, other than needed or too many; empty when all fit.
std::string first_misfit(const WeightShapes& shapes, const ShapesInOrder& needed);

// How many of the names are needed.
size_t names_in_common(const WeightShapes& shapes, const ShapesInOrder& needed);

}  // namespace eqm
