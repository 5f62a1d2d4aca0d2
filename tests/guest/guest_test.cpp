// The library as a guest in a program that owns its process: nothing here calls prepare_process()
// or install_workspace_allocator(). A program of its own, because what it tests cannot be undone.
#include <cstdlib>
#include <string>

#include <ATen/Parallel.h>
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>

#include "eqm/descend/engine.h"
#include "eqm/descend/rules/rules.h"
#include "eqm/landscape/model.h"
#include "eqm/tensor/runtime.h"
#include "tests/support/small_models.h"

extern char** environ;

namespace eqm::test {
namespace {

std::string environment() {
  std::string all;
  for (char** entry = environ; *entry; ++entry) all += std::string(*entry) + '\n';
  return all;
}

State descended(const Field& field, const Shape& shape, const Runtime& runtime) {
  Engine engine(field, shape, runtime);
  State end;
  Request request = {.start = State(0.5, static_cast<size_t>(shape[0] * shape[1] * shape[2])),
                     .terms = {.list = {{.label = 1}}},
                     .rule = gradient_descent(0.01),
                     .stop = {.threshold = 0, .limit = 5}};
  request.done = [&](Outcome outcome) { end = std::move(outcome.x); };
  engine.submit(std::move(request));
  engine.run();
  EXPECT_EQ(engine.memory().taken, 0);  // the workspace did nothing
  return end;
}

TEST(Guest, sampling_changes_nothing_of_the_process) {
  const c10::Allocator* const allocator = c10::GetCPUAllocator();
  const int threads = at::get_num_threads();
  const std::string before = environment();

  RuntimeOptions options;
  options.threads = 2;
  options.precision = "float64";
  const Runtime runtime = make_runtime(options);
  const LearnedField field(model_of(small_sit(), ObjectiveKind::eqm));
  const State end = descended(field, {2, 4, 4}, runtime);
  EXPECT_EQ(end.size(), 32U);

  EXPECT_EQ(c10::GetCPUAllocator(), allocator);
  EXPECT_EQ(at::get_num_threads(), threads);
  EXPECT_EQ(environment(), before);
}

}  // namespace
}  // namespace eqm::test
