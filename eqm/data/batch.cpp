#include "eqm/data/batch.h"

#include "eqm/data/layout.h"

namespace eqm {

Batch read_batch(const Source& source, int64_t first, int64_t count) {
  Batch batch;
  batch.bytes = std::make_shared<std::vector<std::byte>>();
  Layout layout;
  for (int64_t index = first; index < first + count; ++index) {
    const Example example = source.get(index);
    if (index == first) layout = {.dtype = example.dtype, .shape = example.shape};
    require_layout(example, layout, source.name_of(index));
    batch.bytes->insert(batch.bytes->end(), example.bytes.begin(), example.bytes.end());
    batch.labels.push_back(example.label);
    batch.indices.push_back(index);
  }
  batch.dtype = layout.dtype;
  batch.shape = layout.shape;
  batch.shape.insert(batch.shape.begin(), count);
  return batch;
}

}  // namespace eqm
