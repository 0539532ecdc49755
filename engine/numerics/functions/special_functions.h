// SPDX-License-Identifier: Apache-2.0
// Functions that C++ does not have, as CHLO means them. Those of float are made in double and rounded, but
// for erf_inv, which is XLA's bit for bit: random numbers hang on it.
#pragma once

namespace shardscope::inline numerics::special {

float erf_inv(float x);
double erf_inv(double x);

double log_gamma(double x);  // ln |Γ(x)|
double digamma(double x);    // d/dx ln Γ(x); no number at 0, -1, -2, …
// Σ (q+k)^-s over k from 0: Hurwitz's. Infinite for s = 1, no number for s below 1; at the poles q = 0, -1, …
// infinite for even s, no number for others; no number for what is infinite.
double zeta(double s, double q);
// The n-th derivative of digamma, of a whole n from 0.
double polygamma(double n, double x);
// e^-|x|·I1(x), the modified Bessel function of the first kind.
double bessel_i1e(double x);

inline float log_gamma(float x) {
  return static_cast<float>(log_gamma(static_cast<double>(x)));
}
inline float digamma(float x) {
  return static_cast<float>(digamma(static_cast<double>(x)));
}
inline float zeta(float s, float q) {
  return static_cast<float>(zeta(static_cast<double>(s), static_cast<double>(q)));
}
inline float polygamma(float n, float x) {
  return static_cast<float>(polygamma(static_cast<double>(n), static_cast<double>(x)));
}
inline float bessel_i1e(float x) {
  return static_cast<float>(bessel_i1e(static_cast<double>(x)));
}

}  // namespace shardscope::inline numerics::special
