#include "bench/bench.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "tests/app/recording_host.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

bench::BenchOptions one_operator() {
  bench::BenchOptions options;
  options.subject = bench::Subject::operators;
  options.kernels.only = "XS/4 gated residual";
  options.kernels.rounds = 1;
  options.kernels.seconds = 0;
  return options;
}

TEST(Bench, gives_a_table_as_it_measures_and_figures_at_the_end) {
  RecordingHost host;
  std::string table;
  const bench::BenchResult result = bench::run(one_operator(), host, [&](const std::string& text) {
    table += text;
    return true;
  });
  EXPECT_FALSE(result.stopped);
  const auto figures = nlohmann::json::parse(result.figures);
  ASSERT_EQ(figures.at("results").size(), 2U) << "alone, and with its gradients";
  for (const auto& row : figures.at("results")) {
    EXPECT_NE(table.find(row.at("name").get<std::string>()), std::string::npos) << table;
  }
  EXPECT_EQ(host.logged(), "");
}

TEST(Bench, ends_when_nobody_reads) {
  RecordingHost host;
  int pieces = 0;
  const bench::BenchResult result = bench::run(one_operator(), host, [&](const std::string&) {
    ++pieces;
    return false;
  });
  EXPECT_EQ(result.figures, "");
  EXPECT_EQ(pieces, 3) << "the head, and a row in two pieces";
}

TEST(Bench, says_which_options_do_nothing) {
  RecordingHost host;
  bench::BenchOptions options = one_operator();
  options.samplers.limit = 3;
  options.kernels.out = "drawn";
  bench::run(options, host, [](const std::string&) { return false; });
  EXPECT_NE(host.logged().find("operators does nothing with {limit}"), std::string::npos)
      << host.logged();
  EXPECT_NE(host.logged().find("{out} is for sweeps"), std::string::npos) << host.logged();
}

TEST(Bench, refuses_other_numbers_for_kernels) {
  RecordingHost host;
  bench::BenchOptions options = one_operator();
  options.runtime.precision = "bfloat16";
  EXPECT_THROW(bench::run(options, host, [](const std::string&) { return true; }), Error);
}

}  // namespace
}  // namespace eqm::test
