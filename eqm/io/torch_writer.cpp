#include "eqm/io/torch_writer.h"

#include <limits>
#include <set>

#include <fmt/format.h>

#include "eqm/base/error.h"
#include "eqm/base/utf8.h"
#include "eqm/io/text.h"
#include "eqm/io/torch_types.h"
#include "eqm/io/zip_writer.h"

namespace eqm {
namespace {

constexpr size_t kStorageAlignment = 64;  // as PyTorch aligns them, for those who map the file

// The instructions of a pickle of protocol 2, each leaving one value on the machine's stack.
class PickleText {
 public:
  PickleText() : text_("\x80\x02") {}

  void bytes(std::string_view instructions) { text_ += instructions; }
  void global(std::string_view module, std::string_view name) {
    text_ += fmt::format("c{}\n{}\n", module, name);
  }
  void text(std::string_view value) {
    text_ += 'X';
    little(value.size(), 4);
    text_ += value;
  }
  void integer(uint64_t value) {
    if (value <= uint64_t{std::numeric_limits<int32_t>::max()}) {
      text_ += 'J';
      little(value, 4);
    } else {
      text_ += "\x8a\x09";
      little(value, 8);
      text_ += '\0';  // it is not negative
    }
  }
  void integers(const std::vector<int64_t>& values) {
    text_ += '(';
    for (const int64_t value : values) integer(static_cast<uint64_t>(value));
    text_ += 't';
  }
  void ordered_dict() {
    global("collections", "OrderedDict");
    text_ += ")R";
  }

  const std::string& finish() { return text_ += '.'; }

 private:
  void little(uint64_t value, int count) {
    for (int i = 0; i < count; ++i) text_ += static_cast<char>(value >> (8 * i));
  }

  std::string text_;
};

void check_tensors(const std::vector<NamedTensor>& tensors) {
  std::set<std::string_view> names;
  for (const NamedTensor& item : tensors) {
    const auto refuse_tensor = [&](std::string_view problem) {
      throw Error(ErrorKind::usage,
                  fmt::format("the tensor {} cannot be written for PyTorch: {}",
                              in_quotes(item.name), problem),
                  "give it another name or type");
    };
    if (!names.insert(item.name).second) refuse_tensor("its name comes twice");
    if (!is_utf8(item.name)) refuse_tensor("its name is not UTF-8");
    if (storage_class_of(item.tensor.dtype).empty()) {
      refuse_tensor(fmt::format("there is no storage of {}", name_of(item.tensor.dtype)));
    }
    if (byte_count(item.tensor.dtype, item.tensor.shape) != item.tensor.bytes.size()) {
      refuse_tensor("its bytes disagree with its shape");
    }
  }
}

void add_tensor(PickleText& pickle, const TensorView& view, const std::string& key) {
  std::vector<int64_t> strides(view.shape.size(), 1);
  for (size_t i = view.shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<int64_t>(view.shape[i], 1);
  }
  pickle.global("torch._utils", "_rebuild_tensor_v2");
  pickle.bytes("((");
  pickle.text("storage");
  pickle.global("torch", storage_class_of(view.dtype));
  pickle.text(key);
  pickle.text("cpu");
  pickle.integer(view.bytes.size() / size_of(view.dtype));
  pickle.bytes("tQ");
  pickle.integer(0);  // where it begins in its storage
  pickle.integers(view.shape);
  pickle.integers(strides);
  pickle.bytes("\x89");   // requires no gradient
  pickle.ordered_dict();  // of hooks
  pickle.bytes("tR");
}

std::string pickled(const std::vector<NamedTensor>& tensors,
                    const std::map<std::string, std::string>& attributes) {
  PickleText pickle;
  pickle.ordered_dict();
  pickle.bytes("(");
  for (size_t i = 0; i < tensors.size(); ++i) {
    pickle.text(tensors[i].name);
    add_tensor(pickle, tensors[i].tensor, std::to_string(i));
  }
  pickle.bytes("u");
  if (!attributes.empty()) {
    pickle.bytes("}(");
    for (const auto& [name, value] : attributes) {
      pickle.text(name);
      pickle.text(value);
    }
    pickle.bytes("ub");
  }
  return pickle.finish();
}

}  // namespace

void write_torch_file(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors,
                      const std::map<std::string, std::string>& attributes) {
  check_tensors(tensors);
  ZipWriter zip(path);
  const auto add = [&](const std::string& name, std::span<const std::byte> content,
                       size_t alignment = 1) {
    zip.begin("archive/" + name, ZipMethod::stored, 0, alignment);
    zip.write(content);
    zip.end();
  };
  const auto add_text = [&](const std::string& name, const std::string& content) {
    add(name, std::as_bytes(std::span(content)));
  };
  add_text("data.pkl", pickled(tensors, attributes));
  add_text("byteorder", "little");
  for (size_t i = 0; i < tensors.size(); ++i) {
    add("data/" + std::to_string(i), tensors[i].tensor.bytes, kStorageAlignment);
  }
  add_text("version", "3\n");
  zip.commit();
}

}  // namespace eqm
