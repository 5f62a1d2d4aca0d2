#include "eqm/kernel/update.h"

#include <algorithm>
#include <cmath>

#include "eqm/kernel/dispatch.h"
#include "eqm/kernel/simd/update.h"
#include "eqm/tensor/parallel.h"

namespace eqm::kernel {
namespace {

constexpr int64_t kRun = 1 << 13;  // numbers that one thread takes at a time

struct Run {
  size_t tensor, begin, count;
};

// All tensors cut into runs of about equal length.
std::vector<Run> runs_of(const std::vector<int64_t>& lengths) {
  std::vector<Run> runs;
  for (size_t i = 0; i < lengths.size(); ++i) {
    for (int64_t begin = 0; begin < lengths[i]; begin += kRun) {
      runs.push_back(
          {i, static_cast<size_t>(begin), static_cast<size_t>(std::min(kRun, lengths[i] - begin))});
    }
  }
  return runs;
}

template <class Work>
void for_runs(const std::vector<Run>& runs, const Work& work) {
  at::parallel_for(0, static_cast<int64_t>(runs.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      work(static_cast<size_t>(i), runs[static_cast<size_t>(i)]);
  });
}

bool serves(std::initializer_list<const Tensor*> tensors) {
  return fused(tensors) && std::all_of(tensors.begin(), tensors.end(),
                                       [](const Tensor* t) { return t->is_contiguous(); });
}

// We write through raw pointers, so the version counters are bumped by hand.
void mark_changed(const Tensor& tensor) {
  if (!tensor.is_inference()) tensor.unsafeGetTensorImpl()->bump_version();
}

bool has_step(const WeightUpdate& t) {
  return t.gradient.defined();
}

bool has_average(const WeightUpdate& t) {
  return t.average.defined();
}

bool serves(const WeightUpdate& t) {
  const auto fits = [&](const Tensor& other) {
    return serves({&other}) && other.sizes() == t.weight.sizes();
  };
  return serves({&t.weight}) &&
         (!has_step(t) || (fits(t.gradient) && fits(t.first) && fits(t.second))) &&
         (!has_average(t) || fits(t.average));
}

struct Corrections {  // of moments that began at zero
  double first, second;

  explicit Corrections(const AdamWStep& step)
      : first(1 - std::pow(step.beta1, static_cast<double>(step.number))),
        second(1 - std::pow(step.beta2, static_cast<double>(step.number))) {}
};

void plain_update(const WeightUpdate& t, const AdamWStep& step, double decay) {
  if (has_step(t)) {
    const Corrections corrections(step);
    if (step.weight_decay != 0) t.weight.mul_(1 - step.rate * step.weight_decay);
    t.first.mul_(step.beta1).add_(t.gradient, 1 - step.beta1);
    t.second.mul_(step.beta2).addcmul_(t.gradient, t.gradient, 1 - step.beta2);
    const Tensor scale = t.second.sqrt().div_(std::sqrt(corrections.second)).add_(step.epsilon);
    t.weight.addcdiv_(t.first, scale, -step.rate / corrections.first);
  }
  if (has_average(t)) t.average.mul_(decay).add_(t.weight, 1 - decay);
}

simd::AdamWNumbers numbers_of(const AdamWStep& step) {
  const Corrections corrections(step);
  return {.shrink = static_cast<float>(1 - step.rate * step.weight_decay),
          .beta1 = static_cast<float>(step.beta1),
          .beta2 = static_cast<float>(step.beta2),
          .new1 = static_cast<float>(1 - step.beta1),
          .new2 = static_cast<float>(1 - step.beta2),
          .rate = static_cast<float>(step.rate / corrections.first),
          .unscale = static_cast<float>(1 / std::sqrt(corrections.second)),
          .epsilon = static_cast<float>(step.epsilon)};
}

}  // namespace

void update_weights(const std::vector<WeightUpdate>& all, const AdamWStep& step, double decay) {
  const torch::NoGradGuard guard;
  std::vector<WeightUpdate> served;
  std::vector<int64_t> lengths;
  for (const WeightUpdate& t : all) {
    if (!serves(t)) {
      plain_update(t, step, decay);
      continue;
    }
    served.push_back(t);
    lengths.push_back(t.weight.numel());
  }
  const simd::AdamWNumbers numbers = numbers_of(step);
  for_runs(runs_of(lengths), [&](size_t, const Run& run) {
    const WeightUpdate& t = served[run.tensor];
    float* weight = t.weight.data_ptr<float>() + run.begin;
    if (has_step(t)) {
      simd::adamw(weight, t.gradient.data_ptr<float>() + run.begin,
                  t.first.data_ptr<float>() + run.begin, t.second.data_ptr<float>() + run.begin,
                  run.count, numbers);
    }
    if (has_average(t)) {  // the run is still in the cache
      simd::average(t.average.data_ptr<float>() + run.begin, weight, run.count,
                    static_cast<float>(decay), static_cast<float>(1 - decay));
    }
  });
  for (const WeightUpdate& t : served) {
    if (has_step(t)) {
      for (const Tensor& changed : {t.weight, t.first, t.second}) mark_changed(changed);
    }
    if (has_average(t)) mark_changed(t.average);
  }
}

double square_sum(const std::vector<Tensor>& all) {
  const torch::NoGradGuard guard;
  double total = 0;
  std::vector<Tensor> served;
  std::vector<int64_t> lengths;
  for (const Tensor& t : all) {
    if (!serves({&t})) {
      total += t.square().sum().item<double>();
      continue;
    }
    served.push_back(t);
    lengths.push_back(t.numel());
  }
  const std::vector<Run> runs = runs_of(lengths);
  std::vector<double> sums(runs.size());  // added in order: the same sum for any number of threads
  for_runs(runs, [&](size_t i, const Run& run) {
    sums[i] = simd::square_sum(served[run.tensor].data_ptr<float>() + run.begin, run.count);
  });
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace eqm::kernel
