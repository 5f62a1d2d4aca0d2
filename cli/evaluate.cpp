// eqm evaluate: how good a set of pictures is, told in every usual way at once.
#include "eqm/app/evaluate.h"

#include <iostream>

#include "cli/interrupt.h"
#include "cli/verb.h"

namespace eqm::cli {
namespace {

class Evaluate final : public Verb {
 public:
  std::string name() const override { return "evaluate"; }
  std::string summary() const override {
    return "Measures how like the data samples are: FID and sFID, KID, precision, coverage, "
           "accuracy";
  }
  std::string advice() const override {
    return R"(Samples are drawn from --model, or are the --pictures of a folder, a tar, an .npz or a data set. They are compared
with a --reference, Fashion-MNIST unless you name one (pictures of any of these kinds: the training part of a set; or
an .npz of statistics) in the features of a network (--features): a classifier of such data, or Inception by the
weights of pytorch-fid, pt_inception-2015-12-05-6726825d.pth. With Inception the numbers are FID and sFID as others
report them, provided the convention is theirs: adm shows pictures as TensorFlow's graph in ADM's evaluator does,
pytorch-fid as that program.

FD (FID) is the Fréchet distance between the features as two normal distributions, with the range that 90 % of
resampled sets have about it; it grows when samples are few, so compare equal counts. KID has no such bias. IS is the
Inception Score under the network. Precision and density tell how many samples look real, recall and coverage how much
of the data is found among the samples. `right` is the share that a classifier takes for the class that was asked for.
--floor adds held-out real pictures and pure noise, the two ends of every scale.

--save-statistics looks at the reference once and for all: the file takes its place (--reference FILE.npz), and other
programs read it. It records its network; statistics of another network or convention are refused. With statistics
alone there is no KID, precision, recall, density and coverage; --save-pictures adds the pictures to the file (ADM's
evaluator wants them).

Examples:
  eqm evaluate --model models/fashion-xs4.safetensors --samples 2000 --floor
  eqm evaluate --pictures out/samples/pictures --reference fashion-mnist
  eqm evaluate --features inception.pth --reference train.tar --reference-count 50000 --save-statistics train.npz
  eqm evaluate --features inception.pth --reference train.npz --pictures samples.npz --samples 50000)";
  }
  std::string positional() const override { return "model"; }

  void declare(OptionSet& options) override { options_.declare(options); }

  int run(const OptionSet&, Host& host) override {
    const EvaluateResult result = app::run(options_, host);
    if (result.stopped) return exit_code_of(interrupt_requested());
    if (!result.sets.empty()) std::cout << evaluation_table(result.sets, result.distance);
    return 0;
  }

 private:
  EvaluateOptions options_;
};

}  // namespace

std::unique_ptr<Verb> evaluate_verb() {
  return std::make_unique<Evaluate>();
}

}  // namespace eqm::cli
