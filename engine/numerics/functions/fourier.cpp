// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/functions/fourier.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>

namespace shardscope::inline numerics {

using Complex = std::complex<double>;

namespace {

constexpr int64_t kLargestFactor = 64;  // a butterfly of a prime costs its square

bool is_smooth(int64_t n) {
  for (int64_t p = 2; p <= kLargestFactor && n > 1; ++p)
    while (n % p == 0) n /= p;
  return n <= 1;
}

}  // namespace

struct FourierLine::Plans {
  Eigen::FFT<double> fft;
  std::vector<Complex> scratch;
};

// X[k] = w[k] Σ (x[j] w[j]) / w[k-j] with w[k] = e^(-iπ k²/n): a cyclic convolution of a smooth length.
struct FourierLine::Convolution {
  int64_t size;
  std::vector<Complex> chirp, filter, padded;

  explicit Convolution(int64_t n)
      : size(static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)))),
        chirp(static_cast<size_t>(n)),
        filter(static_cast<size_t>(size)),
        padded(static_cast<size_t>(size)) {
    for (int64_t k = 0; k < n; ++k) {
      // k² modulo 2n: the angle of a large one has no digits left.
      const auto square = static_cast<double>(k * k % (2 * n));
      chirp[static_cast<size_t>(k)] = std::polar(1.0, -std::numbers::pi * square / static_cast<double>(n));
      const Complex other = std::conj(chirp[static_cast<size_t>(k)]);
      filter[static_cast<size_t>(k)] = other;
      filter[static_cast<size_t>((size - k) % size)] = other;
    }
  }
};

FourierLine::FourierLine(int64_t length) : length_(length), plans_(std::make_unique<Plans>()) {
  if (is_smooth(length)) return;
  convolution_ = std::make_unique<Convolution>(length);
  Convolution& c = *convolution_;
  plans_->scratch.resize(static_cast<size_t>(c.size));
  plans_->fft.fwd(plans_->scratch.data(), c.filter.data(), static_cast<int>(c.size));
  c.filter.swap(plans_->scratch);
}
FourierLine::~FourierLine() = default;
FourierLine::FourierLine(FourierLine&&) noexcept = default;
FourierLine& FourierLine::operator=(FourierLine&&) noexcept = default;

void FourierLine::mixed_radix(Complex* line) {
  const auto n = static_cast<size_t>(length_);
  plans_->scratch.assign(line, line + n);
  plans_->fft.fwd(line, plans_->scratch.data(), static_cast<int>(length_));
}

void FourierLine::forward(Complex* line) {
  if (length_ <= 1) return;
  if (convolution_ == nullptr) return mixed_radix(line);
  Convolution& c = *convolution_;
  const auto n = static_cast<size_t>(length_), size = static_cast<size_t>(c.size);
  std::vector<Complex>& transformed = plans_->scratch;
  transformed.resize(size);
  std::fill(c.padded.begin(), c.padded.end(), 0);
  for (size_t k = 0; k < n; ++k) c.padded[k] = line[k] * c.chirp[k];
  plans_->fft.fwd(transformed.data(), c.padded.data(), static_cast<int>(size));
  for (size_t k = 0; k < size; ++k) transformed[k] *= c.filter[k];
  plans_->fft.inv(c.padded.data(), transformed.data(), static_cast<int>(size));
  for (size_t k = 0; k < n; ++k) line[k] = c.padded[k] * c.chirp[k];
}

void FourierLine::inverse(Complex* line) {
  for (int64_t k = 0; k < length_; ++k) line[k] = std::conj(line[k]);
  forward(line);
  for (int64_t k = 0; k < length_; ++k) line[k] = std::conj(line[k]) / static_cast<double>(length_);
}

FourierArray::FourierArray(const Fft& fft) : type_(fft.type) {
  for (const int64_t length : fft.length) lines_.emplace_back(length);
  for (size_t d = 0; d + 1 < lines_.size(); ++d) rows_ *= lines_[d].length();
  const int64_t last = lines_.back().length();
  operand_last_ = type_ == FftType::irfft ? last / 2 + 1 : last;
  result_last_ = type_ == FftType::rfft ? last / 2 + 1 : last;
}

// All lines of a dimension of an array whose last dimension is `last` long.
void FourierArray::along(size_t dim, Complex* values, int64_t last) {
  FourierLine& line = lines_[dim];
  const bool back = type_ == FftType::ifft || type_ == FftType::irfft;
  int64_t inner = dim + 1 == lines_.size() ? 1 : last;
  for (size_t d = dim + 1; d + 1 < lines_.size(); ++d) inner *= lines_[d].length();
  const int64_t length = line.length(), outer = rows_ * last / (inner * length);
  line_.resize(static_cast<size_t>(length));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      Complex* first = values + o * length * inner + i;
      for (int64_t k = 0; k < length; ++k) line_[static_cast<size_t>(k)] = first[k * inner];
      back ? line.inverse(line_.data()) : line.forward(line_.data());
      for (int64_t k = 0; k < length; ++k) first[k * inner] = line_[static_cast<size_t>(k)];
    }
  }
}

// Rows become shorter: from the first on.
void FourierArray::rows_of_real(Complex* values) {
  line_.resize(static_cast<size_t>(operand_last_));
  for (int64_t r = 0; r < rows_; ++r) {
    std::copy_n(values + r * operand_last_, operand_last_, line_.begin());
    lines_.back().forward(line_.data());
    std::copy_n(line_.begin(), result_last_, values + r * result_last_);
  }
}

// Rows become longer: from the last on. What stands beyond the middle is conjugate to what stands before it.
void FourierArray::rows_to_real(Complex* values) {
  line_.resize(static_cast<size_t>(result_last_));
  for (int64_t r = rows_; r-- > 0;) {
    std::copy_n(values + r * operand_last_, operand_last_, line_.begin());
    line_[0] = line_[0].real();
    if (result_last_ % 2 == 0) line_[static_cast<size_t>(result_last_ / 2)].imag(0);
    for (int64_t k = operand_last_; k < result_last_; ++k)
      line_[static_cast<size_t>(k)] = std::conj(line_[static_cast<size_t>(result_last_ - k)]);
    lines_.back().inverse(line_.data());
    std::copy_n(line_.begin(), result_last_, values + r * result_last_);
  }
}

void FourierArray::transform(Complex* values) {
  const size_t last = lines_.size() - 1;
  if (type_ == FftType::rfft) rows_of_real(values);
  const int64_t width = type_ == FftType::rfft ? result_last_ : operand_last_;
  for (size_t d = 0; d < last; ++d) along(d, values, width);
  if (type_ == FftType::irfft)
    rows_to_real(values);
  else if (type_ != FftType::rfft)
    along(last, values, width);
}

}  // namespace shardscope::inline numerics
