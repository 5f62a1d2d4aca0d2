// The area under the ROC curve: how well a score separates two sets. It is the probability that a
// random score of `outside` is larger than one of `inside`, where ties count half: 1 when every
// outside score is larger, 0.5 for chance. Pure function, safe from any thread.
#pragma once

#include <span>

namespace eqm {

// Exact, by ranks, in O((n + m) log n). Kind usage when a set is empty, kind numeric when a score
// is not finite.
double auroc(std::span<const double> inside, std::span<const double> outside);

}  // namespace eqm
