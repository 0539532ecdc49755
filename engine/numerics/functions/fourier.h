// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/program/ir/attributes.h"

namespace shardscope::inline numerics {

// Discrete Fourier transforms of lines of one length, in double: by mixed radix where the length has small
// prime factors only, else as a convolution (L. I. Bluestein, "A linear filtering approach to the computation
// of discrete Fourier transform", 1970). For one thread.
class FourierLine {
 public:
  explicit FourierLine(int64_t length);
  ~FourierLine();
  FourierLine(FourierLine&&) noexcept;
  FourierLine& operator=(FourierLine&&) noexcept;
  int64_t length() const { return length_; }
  void forward(std::complex<double>* line);
  void inverse(std::complex<double>* line);  // over the length, so that it undoes the other

 private:
  struct Convolution;
  void mixed_radix(std::complex<double>* line);

  int64_t length_;
  struct Plans;
  std::unique_ptr<Plans> plans_;
  std::unique_ptr<Convolution> convolution_;  // none: the length is smooth
};
// No longer than this.
inline constexpr int64_t kLongestFourier = int64_t{1} << 26;

// HLO's fft of one array of `fft.length` (of an irfft's operand n/2+1 along the last dimension): row-major,
// in place, with room for what the result has.
class FourierArray {
 public:
  explicit FourierArray(const Fft& fft);
  int64_t operand_count() const { return operand_last_ * rows_; }
  int64_t result_count() const { return result_last_ * rows_; }
  // `values` holds the larger of both counts.
  void transform(std::complex<double>* values);

 private:
  void along(size_t dim, std::complex<double>* values, int64_t last);
  void rows_of_real(std::complex<double>* values);
  void rows_to_real(std::complex<double>* values);

  FftType type_;
  std::vector<FourierLine> lines_;  // by dimension
  int64_t rows_ = 1, operand_last_ = 1, result_last_ = 1;
  std::vector<std::complex<double>> line_;
};

}  // namespace shardscope::inline numerics
