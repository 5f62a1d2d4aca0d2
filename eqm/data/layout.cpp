#include "eqm/data/layout.h"

#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "eqm/base/error.h"
#include "eqm/io/text.h"

namespace eqm {

size_t Layout::bytes() const {
  const std::optional<uint64_t> count = byte_count(dtype, shape);
  if (!count) throw Error(ErrorKind::internal, "examples of an impossible shape");
  return static_cast<size_t>(*count);
}

Layout Layout::of_one_view() const {
  Layout one = *this;
  if (posteriors > 0) {
    one.shape[0] /= posteriors;
    one.posteriors = 1;
  }
  return one;
}

std::vector<int64_t> Layout::state_shape() const {
  std::vector<int64_t> state = of_one_view().shape;
  if (posteriors > 0) state[0] /= 2;
  return state;
}

Layout layout_of(const Example& example) {
  return {.dtype = example.dtype, .shape = example.shape, .posteriors = example.posteriors};
}

Layout layout_of(const Source& source) {
  std::optional<Error> first;
  for (int64_t i = 0; i < source.size(); ++i) {
    try {
      return layout_of(source.get(i));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::input) throw;
      if (!first) first = error;
    }
  }
  if (first && source.size() > 1) {
    throw Error(ErrorKind::input,
                fmt::format("none of {} examples can be read: {}", source.size(), first->what()),
                first->hint());
  }
  if (first) throw *first;
  throw Error(ErrorKind::input, "the data set has no examples", "choose a set with at least one");
}

void require_layout(const Example& example, const Layout& layout, const std::string& name) {
  require_layout(layout_of(example), layout, name);
  if (example.bytes.size() != layout.bytes()) {
    throw Error(ErrorKind::input,
                fmt::format("{} has {} bytes where others have {}", in_quotes(name),
                            example.bytes.size(), layout.bytes()),
                "the data set is damaged; get it again");
  }
}

void require_layout(const Layout& own, const Layout& layout, const std::string& name) {
  if (own == layout) return;
  throw Error(
      ErrorKind::input,
      fmt::format("{} is {} where others are {}", in_quotes(name), describe(own), describe(layout)),
      "images of several sizes need one to be brought to: give {size}");
}

std::string describe(const Layout& layout) {
  const std::string values =
      fmt::format("{} [{}]", name_of(layout.dtype), fmt::join(layout.shape, ", "));
  return layout.posteriors > 0 ? "posteriors " + values : values;
}

}  // namespace eqm
