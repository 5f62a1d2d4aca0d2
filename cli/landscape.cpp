// eqm landscape: learns a landscape over the plane, descends it and draws it.
#include <iostream>

#include <fmt/format.h>

#include "cli/verb.h"
#include "eqm/plane/study.h"
#include "eqm/tensor/runtime.h"

namespace eqm::cli {
namespace {

class Landscape final : public Verb {
 public:
  std::string name() const override { return "landscape"; }
  std::string summary() const override {
    return "Learns a two-dimensional landscape, descends it and draws it beside Flow Matching";
  }
  void declare(OptionSet& options) override {
    plane_.declare(options);
    runtime_.declare(options);
  }
  void run(const OptionSet&, Console& console) override {
    start_runtime(runtime_);
    const PlaneStudy study = study_plane(plane_, console.progress);
    std::cout << fmt::format("main {:.4f} fresh {:.4f}\n", study.main.distance, study.fresh_distance);
  }

 private:
  PlaneOptions plane_;
  RuntimeOptions runtime_;
};

}  // namespace

std::unique_ptr<Verb> landscape_verb() {
  return std::make_unique<Landscape>();
}

}  // namespace eqm::cli
