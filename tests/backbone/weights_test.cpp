#include "eqm/backbone/weights.h"

#include <gtest/gtest.h>

#include "eqm/tensor/bridge.h"
#include "tests/support/expect_error.h"
#include "tests/support/small_models.h"
#include "tests/support/temporary_folder.h"

namespace eqm::test {
namespace {

std::vector<Tensor> copies(const Backbone& backbone) {
  std::vector<Tensor> all;
  for (const Tensor& parameter : backbone.parameters()) all.push_back(parameter.detach().clone());
  return all;
}

bool same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return torch::equal(x, y); });
}

// The weights of a network, some of them changed, as a file.
class ChangedFile {
 public:
  explicit ChangedFile(const Backbone& backbone) {
    for (const auto& entry : backbone.named_parameters()) {
      tensors.emplace_back(entry.key(), entry.value().detach().clone() + 1);
    }
  }
  SafetensorsFile write(const TemporaryFolder& folder) const {
    std::vector<NamedTensor> named;
    for (const auto& [name, tensor] : tensors) named.push_back({name, to_view(tensor)});
    write_safetensors(folder / "w.safetensors", named);
    return SafetensorsFile::open(folder / "w.safetensors");
  }
  std::vector<std::pair<std::string, Tensor>> tensors;
};

TEST(Weights, round_trip_is_bit_for_bit) {
  const TemporaryFolder folder;
  for (const torch::ScalarType type : {torch::kFloat32, torch::kFloat64}) {
    const auto sit = small_sit();
    sit->to(type);
    save_tensors(folder / "w.safetensors", weights_of(*sit), {{"note", "hello"}});
    const SafetensorsFile file = SafetensorsFile::open(folder / "w.safetensors");
    EXPECT_EQ(file.metadata().at("note"), "hello");
    Sit other(small_sit_config());
    other.initialise(0);
    other.to(type);
    EXPECT_FALSE(same(copies(other), copies(*sit)));
    load_tensors(weights_of(other), file);
    EXPECT_TRUE(same(copies(other), copies(*sit)));
    EXPECT_EQ(other.parameters().front().scalar_type(), type);
    EXPECT_FALSE(other.named_parameters()["pos_embed"].requires_grad());
  }
}

TEST(Weights, loaded_parameters_own_their_memory_and_keep_training) {
  const TemporaryFolder folder;
  const auto mlp = small_mlp();
  {
    const SafetensorsFile file = ChangedFile(*mlp).write(folder);
    load_tensors(weights_of(*mlp), file);
  }
  std::filesystem::remove(folder / "w.safetensors");
  const torch::NoGradGuard guard;
  for (const Tensor& parameter : mlp->parameters()) parameter.add_(1);  // would fault on a mapping
  EXPECT_TRUE(mlp->named_parameters()["out.weight"].requires_grad());
}

// Whatever is wrong, nothing has changed.
void expect_refused(const std::string& part, const std::function<void(ChangedFile&)>& change) {
  const TemporaryFolder folder;
  const auto mlp = small_mlp();
  const std::vector<Tensor> before = copies(*mlp);
  ChangedFile changed(*mlp);
  change(changed);
  const SafetensorsFile file = changed.write(folder);
  expect_input_error(part, [&] { load_tensors(weights_of(*mlp), file); });
  EXPECT_TRUE(same(copies(*mlp), before));
}

TEST(Weights, a_missing_parameter_is_refused_and_nothing_changes) {
  expect_refused("lacks the tensor", [](ChangedFile& file) { file.tensors.pop_back(); });
  expect_refused("layer1.bias", [](ChangedFile& file) {
    std::erase_if(file.tensors, [](const auto& entry) { return entry.first == "layer1.bias"; });
  });
}

TEST(Weights, an_unexpected_parameter_is_refused_and_nothing_changes) {
  expect_refused("layer9.bias", [](ChangedFile& file) {
    file.tensors.emplace_back("layer9.bias", torch::ones({2}));
  });
}

TEST(Weights, a_wrong_shape_is_refused_and_nothing_changes) {
  expect_refused("shape", [](ChangedFile& file) {
    file.tensors.back().second = torch::ones({1, 2, 3}, torch::kFloat64);
  });
  expect_refused("shape", [](ChangedFile& file) {  // as many numbers, other shape
    for (auto& [name, tensor] : file.tensors) {
      if (name == "layer0.weight") tensor = tensor.t().contiguous();
    }
  });
}

TEST(Weights, the_intact_file_of_these_tests_loads) {
  const TemporaryFolder folder;
  const auto mlp = small_mlp();
  const std::vector<Tensor> before = copies(*mlp);
  load_tensors(weights_of(*mlp), ChangedFile(*mlp).write(folder));
  const std::vector<Tensor> after = copies(*mlp);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(torch::equal(after[i], before[i] + 1));
}

TEST(Weights, that_are_not_finite_are_named) {
  const auto sit = small_sit();
  EXPECT_EQ(unsound_weight_of(*sit), "");
  const torch::NoGradGuard guard;
  const auto weights = weights_of(*sit);
  weights[2].second.view({-1})[0].fill_(1e30);  // whose square is none of float32's
  EXPECT_EQ(unsound_weight_of(*sit), "");
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    weights[3].second.view({-1})[0].fill_(bad);
    EXPECT_EQ(unsound_weight_of(*sit), weights[3].first);
  }
}

TEST(Weights, have_a_fingerprint_that_training_changes) {
  const auto sit = small_sit(), same = small_sit();
  EXPECT_EQ(fingerprint_of(*sit), fingerprint_of(*same));
  {
    const torch::NoGradGuard guard;
    same->parameters().back()[0].add_(1e-12);
  }
  EXPECT_NE(fingerprint_of(*sit), fingerprint_of(*same));
}

}  // namespace
}  // namespace eqm::test
