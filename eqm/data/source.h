// A source is a list of labelled examples, each found by its index. Sources are chained: a file
// format at the bottom, then decorators that map, cache or choose (map_source.h, cache_source.h,
// shard_source.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "eqm/io/tensor_view.h"

namespace eqm {

inline constexpr int64_t kNoLabel = -1;

// One example. Bytes are pixels, u8 from 0 to 255 in planes [C, H, W]; any other element type holds
// states that need no scaling, of any shape.
struct Example {
  Dtype dtype = Dtype::u8;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;  // row-major
  int64_t label = kNoLabel;
  // 0: these are the values themselves. Else so many posteriors of an autoencoder lie side by side
  // on the first axis, each a mean and a log-variance: the picture's, then its mirror image's.
  int64_t posteriors = 0;
};

// Immutable after construction: all calls may come from several threads at once.
class Source {
 public:
  virtual ~Source() = default;

  virtual int64_t size() const = 0;

  // Throws an input error that names the example when it is damaged.
  virtual Example get(int64_t index) const = 0;

  // Where an example comes from, for messages: "train.tar.gz: cat/0001.jpg".
  virtual std::string name_of(int64_t index) const = 0;

  // Empty when the examples have no labels; else one name per label from 0.
  virtual const std::vector<std::string>& class_names() const = 0;

  // False where the names are only the numbers of the labels, because the file has no others.
  virtual bool has_named_classes() const { return true; }

  // A number that changes when the examples, their order or their labels do, as far as that can be
  // seen without reading every pixel. A resumed run compares it.
  virtual uint64_t fingerprint() const = 0;
};

using SourcePtr = std::shared_ptr<const Source>;

}  // namespace eqm
