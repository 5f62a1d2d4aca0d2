#include "eqm/base/draws.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace eqm::test {
namespace {

TEST(Draws, no_two_uses_of_a_seed_share_a_draw) {
  for (const DrawRange& a : kDrawRanges) {
    EXPECT_GT(a.count, 0U);
    for (const DrawRange& b : kDrawRanges) {
      if (a.first == b.first) continue;
      const DrawRange &low = a.first < b.first ? a : b, &high = a.first < b.first ? b : a;
      EXPECT_LE(uint64_t{low.first} + low.count, uint64_t{high.first});
    }
  }
  std::set<uint32_t> firsts;
  for (const DrawRange& range : kDrawRanges) firsts.insert(range.first);
  EXPECT_EQ(firsts.size(), std::size(kDrawRanges));
}

TEST(Draws, seeds_of_their_own_differ) {
  const std::set<uint64_t> seeds(std::begin(kOwnSeeds), std::end(kOwnSeeds));
  EXPECT_EQ(seeds.size(), std::size(kOwnSeeds));
}

TEST(Draws, no_other_file_has_a_constant_of_a_stream) {
  const std::regex constant(R"(constexpr\s+uint(32|64)_t\s+k\w*(Draw|Stream|Seed)\w*\s*=)");
  for (const char* folder : {"eqm", "cli"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(EQM_SOURCE_FOLDER) / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "draws.h") continue;
      std::ifstream file(entry.path());
      const std::string text((std::istreambuf_iterator<char>(file)), {});
      EXPECT_FALSE(std::regex_search(text, constant)) << entry.path();
    }
  }
}

}  // namespace
}  // namespace eqm::test
