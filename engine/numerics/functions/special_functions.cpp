// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/functions/special_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace shardscope::inline numerics::special {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// B(2j) / (2j)! of the numbers of Bernoulli, j from 1.
constexpr std::array<double, 12> kBernoulli = {1.0 / 12,
                                               -1.0 / 720,
                                               1.0 / 30240,
                                               -1.0 / 1209600,
                                               1.0 / 47900160,
                                               -691.0 / 1307674368000.0,
                                               1.0 / 74724249600.0,
                                               -3617.0 / 10670622842880000.0,
                                               43867.0 / 5109094217170944000.0,
                                               -174611.0 / 802857662698291200000.0,
                                               77683.0 / 14101100039391805440000.0,
                                               -236364091.0 / 1693824136731743669452800000.0};

bool is_whole(double x) {
  return std::floor(x) == x;
}

// Where erfc is `tail`, which is small: from erfc(y) ~ e^(-y²) / (y√π).
double far_start(double tail) {
  double y = std::sqrt(-std::log(tail));
  for (int n = 0; n < 2; ++n) y = std::sqrt(-std::log(tail * y * std::sqrt(std::numbers::pi)));
  return y;
}

// Euler's and Maclaurin's sum: the first terms, the integral of the others, and what both are apart.
double positive_zeta(double s, double q) {
  double sum = 0;
  for (int terms = 0; terms < 12; ++terms, ++q) {
    const double term = std::pow(q, -s);
    sum += term;
    if (term <= sum * 1e-17) return sum;
  }
  double power = std::pow(q, -s);
  sum += power * q / (s - 1) + power / 2;
  double rising = s;  // s (s+1) … (s+2j-2)
  power /= q;
  for (size_t j = 0; j < kBernoulli.size(); ++j) {
    const double term = kBernoulli[j] * rising * power;
    sum += term;
    if (std::fabs(term) <= sum * 1e-17) break;
    const auto next = static_cast<double>(2 * j + 1);
    rising *= (s + next) * (s + next + 1);
    power /= q * q;
  }
  return sum;
}

}  // namespace

// XLA's ErfInv32: the single-precision polynomials of M. Giles, "Approximating the erfinv function", 2011.
float erf_inv(float x) {
  constexpr std::array<float, 9> near = {2.81022636e-08F,  3.43273939e-07F, -3.5233877e-06F,
                                         -4.39150654e-06F, 0.00021858087F,  -0.00125372503F,
                                         -0.00417768164F,  0.246640727F,    1.50140941F};
  constexpr std::array<float, 9> far = {-0.000200214257F, 0.000100950558F, 0.00134934322F,
                                        -0.00367342844F,  0.00573950773F,  -0.0076224613F,
                                        0.00943887047F,   1.00167406F,     2.83297682F};
  if (std::fabs(x) == 1) return x * std::numeric_limits<float>::infinity();
  const float w = -std::log1p(-x * x);
  const bool is_near = w < 5;
  const float at = is_near ? w - 2.5F : std::sqrt(w) - 3.0F;
  const std::array<float, 9>& coefficients = is_near ? near : far;
  float p = coefficients[0];
  for (size_t i = 1; i < coefficients.size(); ++i) p = coefficients[i] + p * at;
  return p * x;
}

// Halley's steps from there; near 1 on what is left to 1, where erf has no digits.
double erf_inv(double x) {
  if (!(std::fabs(x) < 1)) return std::fabs(x) == 1 ? x * kInfinity : kNan;
  const double size = std::fabs(x);
  double y = size < 0.99 ? static_cast<double>(erf_inv(static_cast<float>(size))) : far_start(1 - size);
  for (int n = 0; n < 3; ++n) {
    const double off = size < 0.5 ? std::erf(y) - size : (1 - size) - std::erfc(y);
    const double step = off * std::sqrt(std::numbers::pi) / 2 * std::exp(y * y);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a variable of the whole program
}

// By reflection to x > 0, by recurrence to x >= 10, where the asymptotic series is exact.
double digamma(double x) {
  if (std::isnan(x) || x == -kInfinity) return kNan;
  if (x == kInfinity) return x;
  if (x <= 0 && is_whole(x)) return kNan;
  double sum = 0;
  if (x < 0.5) {
    const double part = x - std::round(x);  // tan has the period 1 here
    sum = -std::numbers::pi / std::tan(std::numbers::pi * part);
    x = 1 - x;
  }
  for (; x < 10; ++x) sum -= 1 / x;
  sum += std::log(x) - 0.5 / x;
  double power = 1 / (x * x), factorial = 1;  // (2j-1)!
  for (size_t j = 0; j < 9; ++j) {
    sum -= kBernoulli[j] * factorial * power;
    const auto next = static_cast<double>(2 * j + 2);
    factorial *= next * (next + 1);
    power /= x * x;
  }
  return sum;
}

double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q)) return kNan;
  if (s == 1) return kInfinity;
  const bool even = std::fmod(s, 2) == 0;
  if (q <= 0 && is_whole(q)) return even ? kInfinity : kNan;
  if (s < 1 || std::isinf(s) || std::isinf(q)) return kNan;
  if (q > 0) return positive_zeta(s, q);
  if (!is_whole(s)) return kNan;
  // The terms below zero are those of two sums above it, the other way round.
  const double below = std::ceil(-q), left = q + below;
  const double terms = positive_zeta(s, 1 - left) - positive_zeta(s, 1 - q);
  return positive_zeta(s, left) + (even ? terms : -terms);
}

double polygamma(double n, double x) {
  if (!(n >= 0) || !is_whole(n)) return kNan;
  if (n == 0) return digamma(x);
  const double size = std::exp(log_gamma(n + 1)) * zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -size : size;
}

// The power series, whose terms all have one sign; far out the asymptotic one.
double bessel_i1e(double x) {
  const double size = std::fabs(x);
  if (std::isinf(size)) return std::copysign(0.0, x);
  double sum = 1, term = 1;
  if (size < 30) {
    const double quarter = size * size / 4;
    for (double k = 1; term > sum * 1e-17; ++k) sum += term *= quarter / (k * (k + 1));
    return x / 2 * sum * std::exp(-size);
  }
  for (double k = 1; std::fabs(term) > 1e-17 && k < 60; ++k) {
    const double odd = 2 * k - 1;
    sum += term *= -(4 - odd * odd) / (k * 8 * size);
  }
  return std::copysign(sum / std::sqrt(2 * std::numbers::pi * size), x);
}

}  // namespace shardscope::inline numerics::special
