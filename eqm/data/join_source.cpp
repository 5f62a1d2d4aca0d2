#include "eqm/data/join_source.h"

#include <algorithm>
#include <utility>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/check_index.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

class JoinSource : public Source {
 public:
  explicit JoinSource(std::vector<SourcePtr> parts) : parts_(std::move(parts)) {
    int64_t end = 0;
    for (const SourcePtr& part : parts_) ends_.push_back(end += part->size());
  }

  int64_t size() const override { return ends_.back(); }

  Example get(int64_t index) const override {
    const Place place = place_of(index);
    return place.part.get(place.index);
  }

  std::string name_of(int64_t index) const override {
    const Place place = place_of(index);
    return place.part.name_of(place.index);
  }

  const std::vector<std::string>& class_names() const override {
    return parts_.front()->class_names();
  }

  bool has_named_classes() const override { return parts_.front()->has_named_classes(); }

  uint64_t fingerprint() const override {
    Hash hash;
    hash.add("join");
    for (const SourcePtr& part : parts_) hash.add(part->size()).add(part->fingerprint());
    return hash.value();
  }

 private:
  struct Place {
    const Source& part;
    int64_t index;
  };

  Place place_of(int64_t index) const {
    check_index(index, size());
    const auto end = std::upper_bound(ends_.begin(), ends_.end(), index);
    const Source& part = *parts_[static_cast<size_t>(end - ends_.begin())];
    return {part, index - (*end - part.size())};
  }

  std::vector<SourcePtr> parts_;
  std::vector<int64_t> ends_;  // where each part ends
};

}  // namespace

SourcePtr join_source(std::vector<SourcePtr> parts) {
  if (parts.empty()) throw Error(ErrorKind::internal, "nothing to join");
  for (const SourcePtr& part : parts) {
    if (part->class_names() == parts.front()->class_names()) continue;
    throw Error(ErrorKind::input,
                in_quotes(part->name_of(0)) + " has other classes than " +
                    in_quotes(parts.front()->name_of(0)),
                "parts of one set must agree in their class names");
  }
  if (parts.size() == 1) return parts.front();
  return std::make_shared<JoinSource>(std::move(parts));
}

}  // namespace eqm
