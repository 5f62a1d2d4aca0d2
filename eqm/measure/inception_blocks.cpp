#include "eqm/measure/inception_blocks.h"

namespace eqm::inception {
namespace {

Convolution point(std::string name, int64_t channels) {
  return {.name = std::move(name), .channels = channels};
}
Convolution square(std::string name, int64_t channels, int64_t side) {
  return {.name = std::move(name), .channels = channels, .rows = side, .columns = side};
}
Convolution row(std::string name, int64_t channels, int64_t length) {
  return {.name = std::move(name), .channels = channels, .columns = length};
}
Convolution column(std::string name, int64_t channels, int64_t length) {
  return {.name = std::move(name), .channels = channels, .rows = length};
}
Convolution bare(std::string name, int64_t channels, int64_t stride) {
  return {.name = std::move(name),
          .channels = channels,
          .rows = 3,
          .columns = 3,
          .stride = stride,
          .padded = false};
}

Branch chain(std::vector<Convolution> convolutions) {
  return {.pool = Pool::none, .chain = std::move(convolutions), .ends = {}};
}
Branch pooled(Pool pool, std::vector<Convolution> convolutions) {
  return {.pool = pool, .chain = std::move(convolutions), .ends = {}};
}

// 35x35
Block mixed_5(std::string name, int64_t pool_channels) {
  return {.name = std::move(name),
          .branches = {chain({point("branch1x1", 64)}),
                       chain({point("branch5x5_1", 48), square("branch5x5_2", 64, 5)}),
                       chain({point("branch3x3dbl_1", 64), square("branch3x3dbl_2", 96, 3),
                              square("branch3x3dbl_3", 96, 3)}),
                       pooled(Pool::average, {point("branch_pool", pool_channels)})}};
}

// 17x17; inner: the channels between rows and columns
Block mixed_6(std::string name, int64_t inner) {
  return {.name = std::move(name),
          .branches = {chain({point("branch1x1", 192)}),
                       chain({point("branch7x7_1", inner), row("branch7x7_2", inner, 7),
                              column("branch7x7_3", 192, 7)}),
                       chain({point("branch7x7dbl_1", inner), column("branch7x7dbl_2", inner, 7),
                              row("branch7x7dbl_3", inner, 7), column("branch7x7dbl_4", inner, 7),
                              row("branch7x7dbl_5", 192, 7)}),
                       pooled(Pool::average, {point("branch_pool", 192)})}};
}

// 8x8
Block mixed_7(std::string name, Pool pool) {
  return {
      .name = std::move(name),
      .branches = {chain({point("branch1x1", 320)}),
                   {.pool = Pool::none,
                    .chain = {point("branch3x3_1", 384)},
                    .ends = {row("branch3x3_2a", 384, 3), column("branch3x3_2b", 384, 3)}},
                   {.pool = Pool::none,
                    .chain = {point("branch3x3dbl_1", 448), square("branch3x3dbl_2", 384, 3)},
                    .ends = {row("branch3x3dbl_3a", 384, 3), column("branch3x3dbl_3b", 384, 3)}},
                   pooled(pool, {point("branch_pool", 192)})}};
}

Block halving() {
  return {.name = "", .branches = {pooled(Pool::halving, {})}, .ends_stage = true};
}

Block ending_stage(Block block) {
  block.ends_stage = true;
  return block;
}

}  // namespace

std::vector<Block> blocks() {
  return {
      {.name = "",
       .branches = {chain({bare("Conv2d_1a_3x3", 32, 2), bare("Conv2d_2a_3x3", 32, 1),
                           square("Conv2d_2b_3x3", 64, 3)})}},
      halving(),
      {.name = "",
       .branches = {chain({point("Conv2d_3b_1x1", 80), bare("Conv2d_4a_3x3", 192, 1)})}},
      halving(),
      mixed_5("Mixed_5b", 32),
      mixed_5("Mixed_5c", 64),
      mixed_5("Mixed_5d", 64),
      {.name = "Mixed_6a",
       .branches = {chain({bare("branch3x3", 384, 2)}),
                    chain({point("branch3x3dbl_1", 64), square("branch3x3dbl_2", 96, 3),
                           bare("branch3x3dbl_3", 96, 2)}),
                    pooled(Pool::halving, {})}},
      mixed_6("Mixed_6b", 128),
      mixed_6("Mixed_6c", 160),
      mixed_6("Mixed_6d", 160),
      ending_stage(mixed_6("Mixed_6e", 192)),
      {.name = "Mixed_7a",
       .branches = {chain({point("branch3x3_1", 192), bare("branch3x3_2", 320, 2)}),
                    chain({point("branch7x7x3_1", 192), row("branch7x7x3_2", 192, 7),
                           column("branch7x7x3_3", 192, 7), bare("branch7x7x3_4", 192, 2)}),
                    pooled(Pool::halving, {})}},
      mixed_7("Mixed_7b", Pool::average),
      mixed_7("Mixed_7c", Pool::maximum),
  };
}

std::string name_of(const Block& block, const Convolution& convolution) {
  return block.name.empty() ? convolution.name : block.name + "." + convolution.name;
}

}  // namespace eqm::inception
