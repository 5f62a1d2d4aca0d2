// Checkpoints that PyTorch wrote: every tensor in them, element by element. Cases are the files
// whose metadata say "checkpoint"; they list the PyTorch files beside them.
#include <cstring>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "eqm/base/half.h"
#include "eqm/io/safetensors.h"
#include "eqm/io/torch_file.h"
#include "tests/support/golden_folder.h"

namespace eqm {
namespace {

namespace fs = std::filesystem;

double number_at(const std::byte* at, Dtype dtype) {
  const auto as = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (dtype) {
    case Dtype::f64:
      return as(double{});
    case Dtype::f32:
      return static_cast<double>(as(float{}));
    case Dtype::f16:
      return static_cast<double>(float_from_f16(as(uint16_t{})));
    case Dtype::bf16:
      return static_cast<double>(float_from_bf16(as(uint16_t{})));
    case Dtype::i64:
      return static_cast<double>(as(int64_t{}));
    case Dtype::boolean:
    case Dtype::u8:
      return static_cast<double>(as(uint8_t{}));
    default:
      ADD_FAILURE() << "no such type is expected: " << name_of(dtype);
      return 0;
  }
}

// Elements in row-major order, whatever type and order they have in the file.
std::vector<double> numbers_of(const StridedView& view) {
  std::vector<double> numbers(element_count(view.shape).value());
  std::vector<int64_t> index(view.shape.size());
  for (double& number : numbers) {
    int64_t element = 0;
    for (size_t i = 0; i < index.size(); ++i) element += index[i] * view.strides[i];
    number = number_at(view.bytes.data() + static_cast<size_t>(element) * size_of(view.dtype),
                       view.dtype);
    for (size_t i = index.size(); i-- > 0;) {
      if (++index[i] < view.shape[i]) break;
      index[i] = 0;
    }
  }
  return numbers;
}

// Every tensor below a dictionary, by the names of the expected ones: "model.NAME",
// "opt.3.exp_avg".
using Tensors = std::map<std::string, TorchTensor>;

void collect(const TorchFile& file, const PickleValue& dict, const std::string& prefix,
             Tensors& found) {
  for (size_t i = 0; i + 1 < dict.size(); i += 2) {
    const PickleValue key = dict.at(i), value = dict.at(i + 1);
    const std::string name = prefix + (key.text() ? std::string(*key.text())
                                                  : std::to_string(key.integer().value_or(-1)));
    if (auto tensor = file.tensor(value)) {
      found.emplace(name, std::move(*tensor));
    } else if (value.is(PickleKind::dict)) {
      collect(file, value, name + ".", found);
    }
  }
}

TEST(GoldenTorch, every_tensor_of_every_checkpoint_is_right) {
  int files = 0;
  for (const fs::path& path : test::golden_files("eqm")) {
    const SafetensorsFile expected = SafetensorsFile::open(path);
    const auto kind = expected.metadata().find("case");
    if (kind == expected.metadata().end() || kind->second != "checkpoint") continue;
    for (const std::string entry : nlohmann::json::parse(expected.metadata().at("files"))) {
      SCOPED_TRACE(entry);
      const TorchFile file = TorchFile::open(path.parent_path() / entry.substr(0, entry.find(' ')));
      Tensors tensors;
      collect(file, file.root(), "", tensors);
      int compared = 0;
      for (const auto& [name, tensor] : tensors) {
        // Where the state of an optimiser is one level deeper; state dictionaries alone have no
        // prefix.
        std::string key = name.starts_with("opt.state.") ? "opt." + name.substr(10) : name;
        for (const char* prefix : {"odd.", "ema."}) {
          if (!expected.contains(key) && expected.contains(prefix + name)) key = prefix + name;
        }
        ASSERT_TRUE(expected.contains(key)) << name;
        EXPECT_EQ(tensor.view.shape, expected.at(key).shape) << name;
        EXPECT_EQ(numbers_of(tensor.view), numbers_of(strided(expected.at(key)))) << name;
        file.check_storage(tensor.storage);
        ++compared;
      }
      EXPECT_GT(compared, 0);
      ++files;
    }
  }
  EXPECT_GT(files, 0) << test::golden_root();
}

}  // namespace
}  // namespace eqm
