// Whether a sum of two labels' gradients makes pictures of both: how often a classifier names the
// two among its first two answers, for samples of the sum and, as chance, for samples of one alone.
#include <algorithm>

#include <fmt/format.h>

#include "eqm/app/comparison.h"
#include "eqm/app/lab/measurement_kind.h"
#include "eqm/app/model_lookup.h"
#include "eqm/app/sample.h"
#include "eqm/base/error.h"
#include "eqm/landscape/labels.h"
#include "eqm/measure/set_evaluation.h"

namespace eqm::app {
namespace {

// The options of sampling, the pairs, and who looks at the samples.
struct CompositionSetup : SampleOptions {
  std::string pairs = "coat+bag";  // of classes, with commas
  double weight = 1;               // of each of the two
  ComparisonOptions comparison;

  void declare(OptionSet& options) {
    options.text("pairs", pairs, "pairs of classes, as coat+bag,shirt+trouser");
    options.number("weight", weight, Range::between(-100, 100), "of each of the two");
    options.text("features", comparison.features, "the classifier that looks at the samples");
    SampleOptions::declare(options);
  }
};

using LabelPair = std::pair<std::string, std::string>;

std::vector<LabelPair> pairs_of(const std::string& text, const std::string& origin) {
  std::vector<LabelPair> pairs;
  size_t first = 0;
  while (first <= text.size()) {
    const size_t end = std::min(text.find(',', first), text.size());
    const std::string pair = text.substr(first, end - first);
    const size_t plus = pair.find('+');
    if (plus == std::string::npos) {
      throw Error(ErrorKind::input, fmt::format("{}: '{}' is no pair of classes", origin, pair),
                  "write pairs as coat+bag,shirt+trouser");
    }
    pairs.emplace_back(pair.substr(0, plus), pair.substr(plus + 1));
    first = end + 1;
  }
  return pairs;
}

struct BothSeen {
  int64_t pictures = 0, both = 0;

  void add(const BothSeen& more) {
    pictures += more.pictures;
    both += more.both;
  }
  Estimate share() const {
    const auto count = static_cast<double>(pictures);
    return share_estimate(static_cast<double>(both) / count, count);
  }
};

// How many pictures there are, and how many have both labels among the first two answers.
BothSeen count_both(const FeatureNet& network, const ComparisonOptions& comparison,
                    const std::string& folder, std::pair<int64_t, int64_t> labels) {
  const SourcePtr pictures = pictures_for(network, comparison, folder, Split::train, 1 << 30);
  const auto seen = features_of(network, *pictures, [](int64_t) { return true; });
  const Tensor top = std::get<1>(seen->probabilities.topk(2, 1)).cpu();
  const Tensor first = top.select(1, 0), second = top.select(1, 1);
  const Tensor both = ((first == labels.first) & (second == labels.second)) |
                      ((first == labels.second) & (second == labels.first));
  return {.pictures = pictures->size(), .both = both.sum().item<int64_t>()};
}

std::optional<NamedEstimates> measure_composition(const MeasurementRequest& request, Host& host) {
  CompositionSetup setup = options_for<CompositionSetup>(request);
  const torch::TensorOptions type = make_runtime(request.runtime).tensors();
  const FeatureNetPtr network = load_features(setup.comparison, type);
  const Model model = load_for(request.model.string(), type);
  BothSeen mixed, alone;
  const std::vector<LabelPair> pairs = pairs_of(setup.pairs, request.origin);
  for (const LabelPair& pair : pairs) {
    const std::string &a = pair.first, &b = pair.second;
    const std::pair<int64_t, int64_t> labels = {label_of(model, a), label_of(model, b)};
    // Samples of the pair's sum, or of its classes in turn.
    const auto both_in = [&](const std::string& name, bool sum) -> std::optional<BothSeen> {
      setup.rows.mix = sum ? fmt::format("{}:{},{}:{}", a, setup.weight, b, setup.weight) : "";
      setup.rows.labels = sum ? "" : fmt::format("{},{}", a, b);
      setup.out = (request.out / fmt::format("{}-{}-{}", a, b, name)).string();
      if (run(static_cast<const SampleOptions&>(setup), host).stopped) return std::nullopt;
      return count_both(*network, setup.comparison, setup.out + "/pictures", labels);
    };
    const auto with = both_in("both", true), without = both_in("alone", false);
    if (!with || !without) return std::nullopt;
    mixed.add(*with);
    alone.add(*without);
  }
  return NamedEstimates{{"both", mixed.share()}, {"chance", alone.share()}};
}

}  // namespace

MeasurementKind composition_kind() {
  return {.name = "composition",
          .help = "how often a classifier sees both classes in samples of their sum",
          .first = "both",
          .identity = identity_for<CompositionSetup>,
          .run = measure_composition};
}

}  // namespace eqm::app
