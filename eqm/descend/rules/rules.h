// The update rules. Each has a file of its own beside this one; all descend the field they are
// given, and none knows what the field is.
#pragma once

#include "eqm/descend/course.h"
#include "eqm/descend/step_size.h"
#include "eqm/landscape/magnitude.h"

namespace eqm {

// x ← x - η ∇E(x)
Rule gradient_descent(StepSize eta);

// The paper's look-ahead: x_{k+1} = x_k - η ∇E(x_k + μ (x_k - x_{k-1}))
Rule nesterov_look_ahead(StepSize eta, double mu);

// Nesterov's method with a velocity: v ← μ v - η ∇E(x + μ v), x ← x + v
Rule nesterov_velocity(StepSize eta, double mu);

// v ← μ v - η ∇E(x), x ← x + v
Rule heavy_ball(StepSize eta, double mu);

// Running means of the gradient and its square, both corrected for their start.
Rule adam(StepSize eta, double beta1, double beta2);

// A running mean of the squared gradient.
Rule rmsprop(StepSize eta, double beta);

// Step sizes from the last two points: s·s / s·y, with s and y the differences of points and
// gradients. The first step, and any where s·y ≤ 0, has size η; none is larger than `most` η.
Rule barzilai_borwein(StepSize eta, double most);

// x ← x - η ∇E(x) + √(2 η T) ξ
Rule langevin(StepSize eta, double temperature);

// Gradient descent that tries η first and halves it until the energy falls by a fraction of what
// the slope promises (Armijo); after one that needed no halving the next tries twice its size.
Rule backtracking(StepSize eta);

// Walks over the flat part of the landscape and lands where it sinks: see walk_and_land.cpp.
struct WalkAndLand {
  Magnitude magnitude = {};  // c(γ) of the landscape
  int64_t walk = 8;          // steps from noise to the point where c begins to sink
  int64_t land = 6;          // landing steps
  double glide = 1.3;        // how much of the way down each goes, but for the last, which goes all
  int64_t order = 2;         // of the walk: 1 straight on, 2 with the bend of the last step
};
Rule walk_and_land(const WalkAndLand& numbers);

}  // namespace eqm
