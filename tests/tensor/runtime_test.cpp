#include "eqm/tensor/runtime.h"

#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "eqm/tensor/machine.h"
#include "eqm/tensor/process.h"
#include "tests/support/expect_error.h"

namespace eqm::test {
namespace {

// The number of threads and the environment belong to the process: put back what was there.
class RuntimeTest : public ::testing::Test {
 protected:
  ~RuntimeTest() override {
    at::set_num_threads(threads_);
    say_threads(variable_);
  }

  static void say_threads(const std::optional<std::string>& value) {
    value ? setenv("OMP_NUM_THREADS", value->c_str(), 1) : unsetenv("OMP_NUM_THREADS");
  }

 private:
  static std::optional<std::string> variable() {
    const char* value = std::getenv("OMP_NUM_THREADS");
    return value ? std::optional<std::string>(value) : std::nullopt;
  }

  int threads_ = at::get_num_threads();
  std::optional<std::string> variable_ = variable();
};

RuntimeOptions options(const std::string& device, int64_t threads = 1,
                       const std::string& precision = "float32") {
  RuntimeOptions all;
  all.device = device;
  all.threads = threads;
  all.precision = precision;
  return all;
}

TEST_F(RuntimeTest, has_the_device_and_precision_that_are_asked_for) {
  const Runtime narrow = make_runtime(options("cpu", 1));
  EXPECT_TRUE(narrow.tensors().device().is_cpu());
  EXPECT_EQ(torch::zeros({1}, narrow.tensors()).scalar_type(), torch::kFloat32);
  const Runtime wide = make_runtime(options("cpu", 2, "float64"));
  EXPECT_EQ(wide.threads, 2);
  EXPECT_EQ(torch::zeros({1}, wide.tensors()).scalar_type(), torch::kFloat64);
}

TEST_F(RuntimeTest, making_one_leaves_the_threads_of_the_process_alone) {
  const int before = at::get_num_threads();
  make_runtime(options("cpu", before + 1));
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST_F(RuntimeTest, a_scope_lends_its_threads_and_kernels_to_one_thread) {
  const int before = at::get_num_threads();
  const kernel::Path path = kernel::path();
  Runtime runtime = make_runtime(options("cpu", before + 1));
  runtime.kernels = kernel::Path::plain;
  {
    const RuntimeScope scope(runtime);
    EXPECT_EQ(at::get_num_threads(), before + 1);
    EXPECT_EQ(kernel::path(), kernel::Path::plain);
    int elsewhere = 0;
    kernel::Path path_elsewhere = kernel::Path::products;
    std::thread([&] {
      elsewhere = at::get_num_threads();
      path_elsewhere = kernel::path();
    }).join();
    EXPECT_NE(elsewhere, before + 1);
    EXPECT_EQ(path_elsewhere, path);
  }
  EXPECT_EQ(at::get_num_threads(), before);
  EXPECT_EQ(kernel::path(), path);
}

TEST_F(RuntimeTest, refuses_bfloat16_where_nothing_is_trained) {
  expect_error(ErrorKind::usage, "training only",
               [] { make_runtime(options("cpu", 1, "bfloat16")); });
}

TEST_F(RuntimeTest, a_process_gets_the_threads_that_are_asked_for) {
  prepare_process(1);
  EXPECT_EQ(at::get_num_threads(), 1);
  prepare_process(2);
  EXPECT_EQ(at::get_num_threads(), 2);
}

TEST_F(RuntimeTest, zero_threads_mean_every_usable_processor) {
  say_threads(std::nullopt);
  prepare_process();
  EXPECT_GE(usable_processors(), 1);
  EXPECT_EQ(at::get_num_threads(), usable_processors());
}

TEST_F(RuntimeTest, refuses_more_threads_than_make_sense) {
  EXPECT_GE(most_threads(), usable_processors());
  EXPECT_LE(most_threads(), 16 * usable_processors());
  const int64_t many = most_threads() + 1;
  const std::string text = "threads are asked for, and this machine has";
  expect_error(ErrorKind::usage, text, [&] { make_runtime(options("cpu", many)); });
  expect_error(ErrorKind::usage, text, [&] { prepare_process(many); });
  say_threads(std::to_string(many));
  prepare_process();
  EXPECT_EQ(at::get_num_threads(), usable_processors());
}

TEST_F(RuntimeTest, zero_threads_mean_what_the_environment_says) {
  say_threads("3");
  prepare_process();
  EXPECT_EQ(at::get_num_threads(), 3);
  say_threads("many");
  prepare_process();
  EXPECT_EQ(at::get_num_threads(), usable_processors());
}

TEST_F(RuntimeTest, counts_the_processors_this_thread_may_use) {
  int64_t counted = 0;
  std::thread([&] {
    cpu_set_t set;
    ASSERT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
    int first = 0;
    while (!CPU_ISSET(first, &set)) ++first;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    ASSERT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
    counted = usable_processors();
  }).join();
  EXPECT_EQ(counted, 1);
}

TEST_F(RuntimeTest, refuses_devices_that_do_not_exist) {
  for (const std::string name :
       {"", "gpu", "cpu:x", "cpu:-3", "cuda:999", "mkldnn", "meta", "cuda:"}) {
    SCOPED_TRACE(name);
    expect_error(ErrorKind::usage, "device '" + name + "'", [&] { make_runtime(options(name)); });
  }
}

TEST_F(RuntimeTest, inspection_names_the_blas_and_every_topic_once) {
  prepare_process(1);
  const std::vector<Finding> findings = inspect_machine();
  for (const std::string topic : {"LibTorch", "BLAS", "oneDNN", "threads", "SIMD", "devices"}) {
    const auto count = std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.topic == topic;
    });
    EXPECT_EQ(count, 1) << topic;
  }
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.value.empty()) << finding.topic;
    if (finding.topic == "BLAS") {
      EXPECT_NE(finding.value.find("blas"), std::string::npos) << finding.value;
    }
    if (finding.topic == "threads") {
      EXPECT_EQ(finding.value.substr(0, 5), "1 of ") << finding.value;
    }
  }
  EXPECT_NE(loaded_blas().path.find('/'), std::string::npos);
}

}  // namespace
}  // namespace eqm::test
