#include "eqm/data/batch.h"

#include <algorithm>

#include "eqm/data/augment.h"
#include "eqm/data/layout.h"

namespace eqm {

Batch read_batch(const Source& source, int64_t first, int64_t count) {
  Batch batch;
  batch.rows = {.first = first, .count = count};
  batch.bytes = std::make_shared<std::vector<std::byte>>();
  Layout layout;
  for (int64_t index = first; index < first + count; ++index) {
    Example example = source.get(index);
    if (index == first) layout = layout_of(example);
    require_layout(example, layout, source.name_of(index));
    keep_one_view(example, /*mirrored=*/false);
    batch.bytes->insert(batch.bytes->end(), example.bytes.begin(), example.bytes.end());
    batch.labels.push_back(example.label);
    batch.indices.push_back(index);
  }
  batch.dtype = layout.dtype;
  batch.shape = layout.of_one_view().shape;
  batch.posterior = layout.posteriors > 0;
  batch.shape.insert(batch.shape.begin(), count);
  return batch;
}

void for_each_batch(const Source& source, int64_t together,
                    const std::function<bool(const Batch&)>& visit) {
  Layout layout;
  for (int64_t first = 0; first < source.size(); first += together) {
    const Batch batch = read_batch(source, first, std::min(together, source.size() - first));
    const Layout own = {.dtype = batch.dtype,
                        .shape = {batch.shape.begin() + 1, batch.shape.end()}};
    if (first == 0) layout = own;
    require_layout(own, layout, source.name_of(first));
    if (!visit(batch)) return;
  }
}

}  // namespace eqm
