#include "eqm/data/map_source.h"

#include <utility>

#include "eqm/base/error.h"
#include "eqm/base/hash.h"
#include "eqm/data/decorator.h"
#include "eqm/io/text.h"

namespace eqm {
namespace {

class MapSource : public Decorator {
 public:
  MapSource(SourcePtr inner, std::string description, ExampleFunction function)
      : Decorator(std::move(inner)),
        description_(std::move(description)),
        function_(std::move(function)) {}

  Example get(int64_t index) const override {
    Example example = inner().get(index);
    try {
      return function_(std::move(example));
    } catch (const Error& error) {
      throw Error(error.kind(), in_quotes(name_of(index)) + ": " + error.what(), error.hint());
    }
  }

  uint64_t fingerprint() const override {
    return Hash().add("map").add(description_).add(inner().fingerprint()).value();
  }

 private:
  std::string description_;
  ExampleFunction function_;
};

}  // namespace

SourcePtr map_source(SourcePtr inner, std::string description, ExampleFunction function) {
  return std::make_shared<MapSource>(std::move(inner), std::move(description), std::move(function));
}

}  // namespace eqm
