// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against their definition, X[k] = Σ x[j] e^(-2πi jk/n).
#include "engine/numerics/functions/fourier.h"

#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <numbers>

#include "engine/base/text.h"
#include "engine/numerics/array/drawn.h"
#include "engine/numerics/rules/run_on_devices.h"

namespace shardscope::fourier_test {
namespace {

using Complex = std::complex<double>;
using Line = std::vector<Complex>;
using Dims = std::vector<int64_t>;

Line by_definition(const Line& x, bool inverse) {
  const auto n = static_cast<double>(x.size());
  Line out(x.size());
  for (size_t k = 0; k < x.size(); ++k) {
    for (size_t j = 0; j < x.size(); ++j)
      out[k] += x[j] * std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi *
                                           static_cast<double>(j * k % x.size()) / n);
    if (inverse) out[k] /= n;
  }
  return out;
}

double furthest(const Line& a, const Line& b) {
  double most = 0;
  for (size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

// Of small factors, of one large one, and both.
TEST(Fourier, LinesOfAnyLengthAreTheirDefinition) {
  for (const int64_t n : {1, 2, 3, 4, 5, 7, 12, 30, 49, 64, 67, 97, 101, 128, 194, 211, 360}) {
    Line x;
    for (int64_t k = 0; k < n; ++k)
      x.emplace_back(static_cast<double>(mixed_bits(static_cast<uint64_t>(k)) % 17) - 8,
                     static_cast<double>(mixed_bits(static_cast<uint64_t>(k + 999)) % 5));
    FourierLine line(n);
    Line got = x;
    line.forward(got.data());
    EXPECT_LT(furthest(got, by_definition(x, false)), 1e-11 * static_cast<double>(n)) << n;
    line.inverse(got.data());
    EXPECT_LT(furthest(got, x), 1e-12 * static_cast<double>(n)) << n;
  }
}

Array complexes(const Dims& dims, uint64_t seed) {
  return drawn_array(ElementType::c128, dims, seed, Workers(1));
}

Result<Array> transformed(const Array& x, const std::string& type, const std::string& length,
                          const std::string& shape) {
  std::vector<std::string> sizes;
  for (const int64_t d : x.dims()) sizes.push_back(std::to_string(d));
  TRY(const Program module,
      parse_program(fmt::format("HloModule m\nENTRY e {{\n  x = {}[{}] parameter(0)\n  ROOT r = {} fft(x), "
                                "fft_type={}, fft_length={{{}}}\n}}\n",
                                name(x.type()), join(sizes, ","), shape, type, length)));
  TRY(const auto out, run_on_devices(module, {{x}}, Workers(2), {}));
  return out[0][0];
}

// Two dimensions one after the other, of each of three arrays.
TEST(Fourier, SeveralDimensionsAreOneAfterTheOther) {
  const Array x = complexes({3, 4, 6}, 1);
  const auto got = transformed(x, "FFT", "4,6", "c128[3,4,6]");
  ASSERT_TRUE(got.ok()) << got.error().text();
  for (int64_t b = 0; b < 3; ++b) {
    std::vector<Line> rows(4, Line(6));
    for (int64_t r = 0; r < 4; ++r) {
      for (int64_t c = 0; c < 6; ++c)
        rows[static_cast<size_t>(r)][static_cast<size_t>(c)] = x.complex_at((b * 4 + r) * 6 + c);
      rows[static_cast<size_t>(r)] = by_definition(rows[static_cast<size_t>(r)], false);
    }
    for (int64_t c = 0; c < 6; ++c) {
      Line column;
      for (const Line& row : rows) column.push_back(row[static_cast<size_t>(c)]);
      column = by_definition(column, false);
      for (int64_t r = 0; r < 4; ++r)
        EXPECT_LT(std::abs(got->complex_at((b * 4 + r) * 6 + c) - column[static_cast<size_t>(r)]), 1e-11);
    }
  }
  const auto back = transformed(*got, "IFFT", "4,6", "c128[3,4,6]");
  ASSERT_TRUE(back.ok());
  for (int64_t e = 0; e < x.element_count(); ++e)
    EXPECT_LT(std::abs(back->complex_at(e) - x.complex_at(e)), 1e-12);
}

// The first half of a line of real numbers says it all; what comes back is the line.
TEST(Fourier, RealNumbersAreHalfOfComplexOnesAndBack) {
  for (const int64_t n : {1, 2, 5, 8, 67}) {
    const Array x = drawn_array(ElementType::f64, {2, n}, 3, Workers(1));
    const std::string half = std::to_string(n / 2 + 1), whole = std::to_string(n);
    const auto got = transformed(x, "RFFT", whole, "c128[2," + half + "]");
    ASSERT_TRUE(got.ok()) << got.error().text();
    for (int64_t b = 0; b < 2; ++b) {
      Line line;
      for (int64_t k = 0; k < n; ++k) line.emplace_back(x.at(b * n + k));
      line = by_definition(line, false);
      for (int64_t k = 0; k <= n / 2; ++k)
        EXPECT_LT(std::abs(got->complex_at(b * (n / 2 + 1) + k) - line[static_cast<size_t>(k)]), 1e-11);
    }
    const auto back = transformed(*got, "IRFFT", whole, "f64[2," + whole + "]");
    ASSERT_TRUE(back.ok()) << back.error().text();
    for (int64_t e = 0; e < 2 * n; ++e) EXPECT_NEAR(back->at(e), x.at(e), 1e-12) << n;
  }
}

TEST(Fourier, WhatDoesNotFitIsRefused) {
  const std::tuple<const char*, const char*, const char*, const char*> cases[] = {
      {"FFT", "3", "c128[4]", "does not fit the fft_length, expected 3"},
      {"FFT", "4", "c128[5]", "shape c128[5], expected c128[4]"},
      {"FFT", "", "c128[4]", "needs an fft_type and an fft_length of 1 to 3 sizes"},
      {"FFT", "0", "c128[4]", "expected sizes from 1"},
      {"FFT", "2,4", "c128[4]", "fft_length of 2 sizes"},
      {"RFFT", "4", "c128[3]", "expected elements f32 or f64"},
      {"IRFFT", "4", "f64[4]", "does not fit the fft_length, expected 3"},
      {"DFT", "4", "c128[4]", "fft_type 'DFT', expected FFT, IFFT, RFFT or IRFFT"}};
  for (const auto& [type, length, shape, error] : cases) {
    const auto got = transformed(complexes({4}, 1), type, length, shape);
    ASSERT_FALSE(got.ok()) << error;
    EXPECT_NE(got.error().what.find(error), std::string::npos) << got.error().what;
  }
}

}  // namespace
}  // namespace shardscope::fourier_test
