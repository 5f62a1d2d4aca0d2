// Gauss-Legendre quadrature on [-1, 1].
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace eqm {

struct QuadratureNode {
  double position;
  double weight;
};

// The 20-point rule: exact for polynomials up to degree 39. Nodes are the roots of the Legendre
// polynomial, by Newton's method from Chebyshev's guess; computed once.
inline const std::array<QuadratureNode, 20>& gauss_legendre_20() {
  static const std::array<QuadratureNode, 20> nodes = [] {
    constexpr int n = 20;
    std::array<QuadratureNode, n> result;
    for (int i = 0; i < n; ++i) {
      double z = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
      double slope = 0;
      for (int iteration = 0; iteration < 100; ++iteration) {
        double p = 1, before = 0;  // P_k(z), P_{k-1}(z)
        for (int k = 1; k <= n; ++k) {
          const double next = ((2 * k - 1) * z * p - (k - 1) * before) / k;
          before = p;
          p = next;
        }
        slope = n * (z * p - before) / (z * z - 1);
        const double change = p / slope;
        z -= change;
        if (std::abs(change) < 1e-16) break;
      }
      result[static_cast<size_t>(i)] = {z, 2 / ((1 - z * z) * slope * slope)};
    }
    return result;
  }();
  return nodes;
}

}  // namespace eqm
