// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/functions/complex_functions.h"

#include <cmath>
#include <limits>

namespace shardscope::inline numerics::complex_functions {

using C = std::complex<double>;

C sign(C z) {
  const double size = std::hypot(z.real(), z.imag());
  return size == 0 ? z : C(z.real() / size, z.imag() / size);
}

// e^x cos y - 1 without the difference of two numbers near 1.
C exp_minus_one(C z) {
  const double half = std::sin(z.imag() / 2);
  return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * half * half,
          std::exp(z.real()) * std::sin(z.imag())};
}

// |1+z|² - 1 is made of z alone where it is small.
C log_plus_one(C z) {
  const double x = z.real(), y = z.imag(), angle = std::atan2(y, 1 + x);
  if (std::fabs(x) > 0.5 || std::fabs(y) > 0.5) return {std::log(std::hypot(1 + x, y)), angle};
  return {std::log1p(x * (2 + x) + y * y) / 2, angle};
}

C cube_root(C z) {
  return power(z, C(1.0 / 3));
}

C logistic(C z) {
  return 1.0 / (1.0 + std::exp(-z));
}

// -i log((x + iy) / √(x² + y²)); of x = 1 the arc tangent of y, where that is small.
C atan2(C y, C x) {
  if (x == 1.0) return std::atan(y);
  const C size = std::sqrt(product(x, x) + product(y, y)), turned(x.real() - y.imag(), x.imag() + y.real());
  const C angle = std::log(turned / size);
  return {angle.imag(), -angle.real()};
}

// Of 0: 1 to the power of 0, 0 to one that grows, no number to others.
C power(C base, C exponent) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (base == 0.0) return exponent == 0.0 ? C(1) : exponent.real() > 0 ? C(0) : C(kNone, kNone);
  return std::exp(product(exponent, std::log(base)));
}

}  // namespace shardscope::inline numerics::complex_functions
