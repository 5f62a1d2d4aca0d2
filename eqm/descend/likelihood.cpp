#include "eqm/descend/likelihood.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "eqm/base/draws.h"
#include "eqm/base/error.h"
#include "eqm/descend/integrators/integrators.h"
#include "eqm/descend/sampling.h"

namespace eqm {
namespace {

// Independent signs, a pure function of (seed, sample, probe): [probes, n, d].
Tensor random_signs(const LikelihoodOptions& options, int64_t states, int64_t size) {
  Tensor signs = torch::empty({options.probes, states, size}, torch::kFloat32);
  auto* values = signs.data_ptr<float>();
  std::vector<uint16_t> bits(static_cast<size_t>(size));
  for (int64_t probe = 0; probe < options.probes; ++probe) {
    for (int64_t state = 0; state < states; ++state) {
      const auto sample = static_cast<uint64_t>(options.first_sample + state);
      fill_bits({.seed = options.seed,
                 .sample = sample,
                 .draw = static_cast<uint32_t>(draw_probe + probe)},
                bits);
      for (const uint16_t bit : bits) *values++ = (bit & 1U) == 0 ? -1.0F : 1.0F;
    }
  }
  return signs;
}

// States with the integral of the divergence behind them, flat: [B, d + 1]. The label of a row is
// the number of its state, by which its own label and probes are found.
class FlowWithVolume final : public Field {
 public:
  FlowWithVolume(const DifferentiableField& flow, const Tensor& x, Tensor labels,
                 const LikelihoodOptions& options)
      : flow_(flow),
        shape_(x.sizes().begin() + 1, x.sizes().end()),
        type_(x.options()),
        states_(x.size(0)),
        labels_(std::move(labels)) {
    if (options.probes > 0) {
      probes_ = random_signs(options, states_, x.numel() / std::max<int64_t>(1, states_));
    }
  }

  int64_t label_count() const override { return states_; }

  Tensor gradient(const Tensor& rows, const Condition& condition) const override {
    const int64_t batch = rows.size(0), size = rows.size(1) - 1;
    Shape shape = shape_;
    shape.insert(shape.begin(), batch);
    const Tensor x = rows.narrow(1, 0, size).reshape(shape).to(type_);
    const Tensor numbers = condition.labels;
    Condition own;
    if (labels_.defined()) own.labels = labels_.index_select(0, numbers);
    own.time = condition.time.defined() ? condition.time.to(type_) : torch::zeros({batch}, type_);
    const FieldAndDivergence value =
        probes_.defined() ? estimated_divergence(flow_, x, own, probes_.index_select(1, numbers))
                          : exact_divergence(flow_, x, own);
    // The integral grows by -∇·v as time does, and rates are minus gradients; v = -f.
    return torch::cat({value.value.flatten(1).to(rows.options()),
                       -value.divergence.to(rows.options()).unsqueeze(1)},
                      1);
  }

 private:
  const DifferentiableField& flow_;
  Shape shape_;
  torch::TensorOptions type_;
  int64_t states_;
  Tensor labels_;  // [n] or undefined
  Tensor probes_;  // [probes, n, d]; undefined: exact
};

double log_normal(const State& x, size_t size) {
  double square = 0;
  for (size_t i = 0; i < size; ++i) square += x[i] * x[i];
  return -0.5 * (square + static_cast<double>(size) * std::log(2 * std::numbers::pi));
}

}  // namespace

void require_flow(ObjectiveKind kind) {
  if (is_flow(kind)) return;
  throw Error(ErrorKind::usage,
              fmt::format("a model of the objective {} has no likelihood: its landscape is "
                          "descended, and not followed over a time that could be turned back",
                          name_of(kind)),
              "give a model of the objective fm or fm-unconditional");
}

std::vector<Likelihood> likelihoods(const DifferentiableField& flow, const Tensor& x,
                                    const Tensor& labels, const LikelihoodOptions& options) {
  const int64_t states = x.size(0), size = x.numel() / std::max<int64_t>(1, states);
  const FlowWithVolume field(flow, x, labels, options);
  const Tensor start = torch::cat({x.detach().to(torch::kCPU, torch::kFloat64).flatten(1),
                                   torch::zeros({states, 1}, torch::kFloat64)},
                                  1);
  SamplingSpec spec = {.labels = torch::arange(states, torch::kInt64),
                       .capacity = options.capacity,
                       .go_on = options.go_on};
  const Dopri5 back = {.atol = options.atol, .rtol = options.rtol, .t0 = 1, .t1 = 0};
  const DescentResult result =
      descend(field, start,
              {.rule = dopri5(back), .stop = {.limit = std::numeric_limits<int32_t>::max()}}, spec);
  std::vector<Likelihood> all;
  for (int64_t i = 0; i < states; ++i) {
    const SampleRecord& record = result.samples[static_cast<size_t>(i)];
    Likelihood& one = all.emplace_back();
    one.evaluations = record.evaluations;
    if (record.status != DescentStatus::arrived) {
      one.log_density = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    const State end = state_of(result.x, i);
    one.log_noise = log_normal(end, static_cast<size_t>(size));
    one.volume = end[static_cast<size_t>(size)];
    one.log_density = one.log_noise - one.volume;
  }
  return all;
}

}  // namespace eqm
