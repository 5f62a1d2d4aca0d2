#include "eqm/io/safetensors_header.h"

#include <limits>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

using Json = nlohmann::json;

// Follows the parser's events instead of building a tree: a tree would silently keep the last of
// two equal keys, and events let us stop at the first wrong bracket, so nesting cannot go deeper
// than the format does.
class HeaderBuilder final : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderBuilder(const std::string& file) : file_(file) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(size_t) override {
    if (place_ == Place::start) return go(Place::root);
    if (place_ != Place::root) refuse_value("an object");
    if (name_ == kSafetensorsMetadataKey) return go(Place::metadata);
    entry_ = {};
    seen_.clear();
    return go(Place::tensor);
  }

  bool key(std::string& text) override {
    if (place_ == Place::root) return start_name(text);
    if (place_ == Place::metadata) return start_metadata(text);
    return start_field(text);
  }

  bool end_object() override {
    if (place_ == Place::root) return go(Place::start);
    if (place_ == Place::tensor) finish_tensor();
    return go(Place::root);
  }

  bool start_array(size_t) override {
    count_ = 0;
    if (place_ == Place::tensor && field_ == "shape") return go(Place::shape);
    if (place_ == Place::tensor && field_ == "data_offsets") return go(Place::offsets);
    refuse_value("a list");
  }

  bool end_array() override {
    if (place_ == Place::offsets && count_ != 2) {
      refuse(fmt::format("'data_offsets' of tensor {} has {} numbers instead of two",
                         in_quotes(name_), count_));
    }
    return go(Place::tensor);
  }

  bool string(std::string& text) override {
    if (place_ == Place::metadata) {
      header_.metadata[metadata_key_] = std::move(text);
      return true;
    }
    if (place_ != Place::tensor || field_ != "dtype") refuse_value("a string");
    const std::optional<Dtype> dtype = dtype_from_name(text);
    if (!dtype) {
      refuse(fmt::format("tensor {} has the unknown dtype {}", in_quotes(name_), in_quotes(text)));
    }
    entry_.dtype = *dtype;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    ++count_;
    if (place_ == Place::shape) return add_dimension(value);
    if (place_ != Place::offsets) refuse_value("a number");
    if (count_ <= 2) entry_.offsets[count_ - 1] = value;
    return true;
  }

  bool number_integer(int64_t value) override { refuse_value(fmt::format("{}", value)); }
  // Also whole numbers past 2^64.
  bool number_float(double, const std::string& text) override { refuse_value(in_quotes(text)); }
  bool null() override { refuse_value("null"); }
  bool boolean(bool) override { refuse_value("a truth value"); }
  bool binary(Json::binary_t&) override { refuse_value("binary data"); }

  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    refuse(fmt::format("it is not valid UTF-8 JSON near byte {}",
                       position + kSafetensorsLengthBytes - 1));
  }

 private:
  enum class Place { start, root, metadata, tensor, shape, offsets };

  bool go(Place place) {
    place_ = place;
    return true;
  }

  bool start_name(const std::string& text) {
    name_ = text;
    if (name_ == kSafetensorsMetadataKey ? std::exchange(has_metadata_, true)
                                         : header_.tensors.contains(name_)) {
      refuse(fmt::format("the key {} occurs twice", in_quotes(name_)));
    }
    return true;
  }

  bool start_metadata(const std::string& text) {
    metadata_key_ = text;
    if (!header_.metadata.try_emplace(text).second) {
      refuse(fmt::format("the metadata key {} occurs twice", in_quotes(text)));
    }
    return true;
  }

  bool start_field(const std::string& text) {
    field_ = text;
    if (text != "dtype" && text != "shape" && text != "data_offsets") {
      refuse(fmt::format("tensor {} has the unknown key {}", in_quotes(name_), in_quotes(text)));
    }
    if (!seen_.insert(text).second) {
      refuse(fmt::format("tensor {} has the key {} twice", in_quotes(name_), in_quotes(text)));
    }
    return true;
  }

  bool add_dimension(uint64_t value) {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      refuse(fmt::format("tensor {} has the impossible dimension {}", in_quotes(name_), value));
    }
    if (count_ > kMaxTensorRank) {
      refuse(
          fmt::format("tensor {} has more than {} dimensions", in_quotes(name_), kMaxTensorRank));
    }
    entry_.shape.push_back(static_cast<int64_t>(value));
    return true;
  }

  void finish_tensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (!seen_.contains(field)) {
        refuse(fmt::format("tensor {} lacks the key '{}'", in_quotes(name_), field));
      }
    }
    header_.tensors.emplace(name_, std::move(entry_));
  }

  [[noreturn]] void refuse_value(std::string_view found) const {
    switch (place_) {
      case Place::start:
        refuse(fmt::format("it is {} instead of an object", found));
      case Place::root:
        refuse(fmt::format("the value of {} is {} instead of an object", in_quotes(name_), found));
      case Place::metadata:
        refuse(fmt::format("the metadata value of {} is {} instead of a string",
                           in_quotes(metadata_key_), found));
      case Place::tensor:
        refuse(fmt::format("'{}' of tensor {} is {} instead of a {}", field_, in_quotes(name_),
                           found, field_ == "dtype" ? "string" : "list"));
      case Place::shape:
      case Place::offsets:
        refuse(fmt::format("'{}' of tensor {} holds {} instead of a non-negative integer", field_,
                           in_quotes(name_), found));
    }
    refuse("it is not understood");
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(ErrorKind::input,
                fmt::format("the header of {} is wrong: {}", in_quotes(file_), problem),
                std::string(kDamagedSafetensorsHint));
  }

  const std::string& file_;
  SafetensorsHeader header_;
  Place place_ = Place::start;
  bool has_metadata_ = false;
  std::string name_;          // the tensor, or the metadata key, being read at the root
  std::string metadata_key_;  // the key being read inside the metadata
  std::string field_;         // the key being read inside a tensor's entry
  std::set<std::string> seen_;
  SafetensorsEntry entry_;
  size_t count_ = 0;  // numbers so far in the list being read
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& file) {
  const auto refuse = [&file](const std::string& problem) {
    throw Error(ErrorKind::input, fmt::format("the header of {} {}", in_quotes(file), problem),
                std::string(kDamagedSafetensorsHint));
  };
  if (json.empty() || json.front() != '{') refuse("does not start with '{' at byte 8");
  // Padding is spaces only; and the JSON library would take a zero byte for the end of its input.
  json = json.substr(0, json.find_last_not_of(' ') + 1);
  if (json.back() != '}') refuse("does not end with '}' and spaces");
  const size_t zero = json.find('\0');
  if (zero != std::string_view::npos) {
    refuse(fmt::format("holds a zero byte at byte {}", zero + kSafetensorsLengthBytes));
  }
  HeaderBuilder builder(file);
  Json::sax_parse(json.begin(), json.end(), &builder);
  return builder.take();
}

}  // namespace eqm
