// What Inception is made of, as a table: blocks in their order, each a set of branches whose
// results are put side by side. Internal to inception.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace eqm::inception {

struct Convolution {
  std::string name;
  int64_t channels = 0;
  int64_t rows = 1, columns = 1;  // of the kernel
  int64_t stride = 1;
  bool padded = true;  // so that the size stays
};

enum class Pool { none, average, maximum, halving };

struct Branch {
  Pool pool = Pool::none;  // before anything else
  std::vector<Convolution> chain;
  std::vector<Convolution> ends;  // each of the chain's result, side by side
};

struct Block {
  std::string name;  // stands before the names of its convolutions; empty: nothing does
  std::vector<Branch> branches;
  bool ends_stage = false;  // of pytorch-fid's blocks 0, 1 and 2
};

inline constexpr int64_t kColours = 3;
inline constexpr int64_t kFeatures = 2048;
inline constexpr int64_t kClasses = 1008;
inline constexpr int64_t kSpatialChannels = 7;

// The block whose first branch has the features of sFID.
inline constexpr const char* kSpatialBlock = "Mixed_6d";

std::vector<Block> blocks();

// "Mixed_5b.branch1x1"
std::string name_of(const Block& block, const Convolution& convolution);

}  // namespace eqm::inception
