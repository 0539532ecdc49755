// SPDX-License-Identifier: Apache-2.0
// Arithmetic of complex numbers as XLA does it, and the functions that C++ lacks.
#pragma once

#include <complex>

namespace shardscope::inline numerics::complex_functions {

// By parts: what is infinite or no number in one is not mended, as C's own product does.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

std::complex<double> sign(std::complex<double> z);  // z / |z|, 0 of 0
std::complex<double> exp_minus_one(std::complex<double> z);
std::complex<double> log_plus_one(std::complex<double> z);
std::complex<double> cube_root(std::complex<double> z);
std::complex<double> logistic(std::complex<double> z);
std::complex<double> atan2(std::complex<double> y, std::complex<double> x);
std::complex<double> power(std::complex<double> base, std::complex<double> exponent);

}  // namespace shardscope::inline numerics::complex_functions
