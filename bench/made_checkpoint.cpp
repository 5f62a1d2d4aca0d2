// Writes a PyTorch training checkpoint of the reference's shape and size, for measuring what
// importing takes: model, average and the two moments of AdamW, as torch.save lays them out. The
// numbers in it are a repeated pattern. made_checkpoint FILE [PRESET]; XL/2 has 10.8 GB. The preset
// "vae" is Stable Diffusion's autoencoder, a dictionary of tensors alone.
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "eqm/backbone/sit_layout.h"
#include "eqm/base/error.h"
#include "eqm/codec/vae_config.h"
#include "eqm/io/zip_writer.h"

namespace eqm {
namespace {

std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text.push_back(static_cast<char>(value >> (8 * i)));
  return text;
}

// Instructions of pickle's protocol 2, each leaving one value.
std::string text(const std::string& value) {
  return "X" + little(value.size(), 4) + value;
}
std::string number(uint64_t value) {
  return std::string("\x8a\x08") + little(value, 8);
}
std::string numbers(const Shape& values) {
  std::string body = "(";
  for (const int64_t value : values) body += number(static_cast<uint64_t>(value));
  return body + "t";
}
std::string tensor(const std::string& key, const Shape& shape, uint64_t count) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return "ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + "ctorch\nFloatStorage\n" +
         text(key) + text("cuda:0") + number(count) + "tQ" + number(0) + numbers(shape) +
         numbers(strides) + "\x89" + "ccollections\nOrderedDict\n)RtR";
}

class CheckpointWriter {
 public:
  explicit CheckpointWriter(const std::string& path) : zip_(path) {
    for (size_t i = 0; i < block_.size(); ++i) block_[i] = static_cast<float>(i % 1009) * 1e-3F;
  }

  // The entries of a dictionary of tensors; their storages are written on the way.
  std::string tensors(const std::vector<std::pair<std::string, Shape>>& shapes) {
    std::string body = "}(";
    for (const auto& [name, shape] : shapes) {
      uint64_t count = 1;
      for (const int64_t size : shape) count *= static_cast<uint64_t>(size);
      const std::string key = std::to_string(next_++);
      body += text(name) + tensor(key, shape, count);
      write_storage(key, count);
    }
    return body + "u";
  }

  void finish(const std::string& body) {
    const std::string pickle = "\x80\x02" + body + ".";
    zip_.begin("made/data.pkl", ZipMethod::stored);
    zip_.write(std::as_bytes(std::span(pickle)));
    zip_.end();
    zip_.commit();
  }

 private:
  void write_storage(const std::string& key, uint64_t count) {
    zip_.begin("made/data/" + key, ZipMethod::stored);
    while (count > 0) {
      const uint64_t now = std::min<uint64_t>(count, block_.size());
      zip_.write(std::as_bytes(std::span(block_).first(now)));
      count -= now;
    }
    zip_.end();
  }

  ZipWriter zip_;
  std::vector<float> block_ = std::vector<float>(1 << 18);
  uint64_t next_ = 0;
};

void write_autoencoder(const std::string& path) {
  const auto shapes = vae_shapes(VaeConfig{});
  CheckpointWriter writer(path);
  writer.finish(writer.tensors({shapes.begin(), shapes.end()}));
}

void write_checkpoint(const std::string& path, const std::string& preset) {
  if (preset == "vae") return write_autoencoder(path);
  SitConfig config = sit_preset(preset);
  config.learn_sigma = true;
  const auto shapes = sit_weight_shapes(config);
  CheckpointWriter writer(path);
  std::string body = "}(";
  for (const char* group : {"model", "ema"}) body += text(group) + writer.tensors(shapes);
  body += text("opt") + "}(";
  for (const char* moment : {"exp_avg", "exp_avg_sq"})
    body += text(moment) + writer.tensors(shapes);
  writer.finish(body + "uu");
}

}  // namespace
}  // namespace eqm

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "made_checkpoint FILE [PRESET]\n";
    return 2;
  }
  try {
    eqm::write_checkpoint(argv[1], argc > 2 ? argv[2] : "XL/2");
  } catch (const eqm::Error& error) {
    std::cerr << "made_checkpoint: " << error.what() << '\n' << "hint: " << error.hint() << '\n';
    return eqm::exit_code(error.kind());
  }
  return 0;
}
