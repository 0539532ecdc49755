// SPDX-License-Identifier: Apache-2.0
#include "engine/numerics/check/quick_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <random>

#include "engine/numerics/rules/convert.h"
#include "engine/request/check_kind.h"

namespace shardscope::inline numerics {
namespace {

constexpr size_t kVectors = 4;
constexpr int kBits = 10;  // of an element of r, where sums are exact

using VectorSums = std::array<double, kVectors>;  // one for each r

// r by element.
std::vector<VectorSums> vectors_of(int64_t count, bool whole) {
  std::mt19937_64 random(0x5eed);
  std::vector<VectorSums> out(static_cast<size_t>(count));
  for (VectorSums& element : out) {
    for (double& value : element) {
      const auto bits = static_cast<int64_t>(random() >> (64 - kBits));
      value = whole ? static_cast<double>(bits - (int64_t{1} << (kBits - 1))) : bits % 2 == 0 ? 1 : -1;
    }
  }
  return out;
}

// What is asked of each row: its elements in f64.
template <class Row>
void for_rows(const Array& matrix, const Workers& workers, const std::stop_token& stop, Row row) {
  const int64_t columns = matrix.dims()[1];
  workers.parallel_for(matrix.dims()[0], [&](int64_t r) {
    if (!stop.stop_requested()) row(static_cast<size_t>(r), as_f64(matrix, r * columns, columns));
  });
}

VectorSums row_times(const std::vector<double>& row, const std::vector<VectorSums>& vectors) {
  VectorSums sums{};
  for (size_t j = 0; j < row.size(); ++j)
    for (size_t v = 0; v < kVectors; ++v) sums[v] += row[j] * vectors[j][v];
  return sums;
}

// matrix · vectors; `largest`: of its elements' sizes.
std::vector<VectorSums> times_vectors(const Array& matrix, const std::vector<VectorSums>& vectors,
                                      const Workers& workers, const std::stop_token& stop, double& largest) {
  std::vector<VectorSums> out(static_cast<size_t>(matrix.dims()[0]));
  std::vector<double> most(out.size());
  for_rows(matrix, workers, stop, [&](size_t r, const std::vector<double>& row) {
    out[r] = row_times(row, vectors);
    for (const double value : row) most[r] = std::max(most[r], std::fabs(value));
  });
  largest = most.empty() ? 0 : *std::max_element(most.begin(), most.end());
  return out;
}

// By how much each row's sum with r of ±1 may be off.
std::vector<double> allowed_sums(const Array& result, const Tolerance& tolerance, const Workers& workers,
                                 const std::stop_token& stop) {
  std::vector<double> out(static_cast<size_t>(result.dims()[0]));
  const bool rounds = tolerance.rounding.element_count() > 0;
  for_rows(result, workers, stop, [&](size_t r, const std::vector<double>& row) {
    for (size_t j = 0; j < row.size(); ++j) {
      out[r] += tolerance.atol + tolerance.rtol * std::fabs(row[j]);
      if (rounds) out[r] += static_cast<double>(tolerance.rounding.as<float>()[r * row.size() + j]);
    }
  });
  return out;
}

struct ComparedRows {
  std::vector<VectorSums> result, expected;
  std::vector<double> allowed;  // by row
};

void report_rows(const ComparedRows& c, NumericsReport& report) {
  int64_t bad = 0;
  double sum = 0, worst = -1;
  for (size_t r = 0; r < c.result.size(); ++r) {
    double row = 0;
    bool row_bad = false;
    for (size_t v = 0; v < kVectors; ++v) {
      const double off = std::fabs(c.result[r][v] - c.expected[r][v]);
      row_bad = row_bad || !(off <= c.allowed[r]);
      row = std::max(row, std::isfinite(off) ? off : 0);
      const double rank = std::isfinite(off) ? off : HUGE_VAL;
      if (rank <= worst) continue;
      worst = rank;
      report.worst_index = {static_cast<int64_t>(r)};
      report.worst_value = c.result[r][v];
      report.worst_reference = c.expected[r][v];
    }
    bad += row_bad;
    sum += row;
    report.max_abs = std::max(report.max_abs, row);
  }
  const double rows = std::max(1.0, static_cast<double>(c.result.size()));
  report.allclose = bad == 0;
  report.mean_abs = sum / rows;
  report.percent_bad = 100 * static_cast<double>(bad) / rows;
}

}  // namespace

bool has_quick_check(const MatmulProblem& problem) {
  return is_floating(result_type(problem.dtype));
}

NumericsReport quick_check(const Array& result, const ProblemData& data, const Tolerance& tolerance,
                           const Workers& workers, const std::stop_token& stop) {
  const auto n = result.dims()[1], k = data.lhs.dims()[1];
  const bool whole = data.exact && tolerance.rtol == 0 && tolerance.atol == 0;
  const std::vector<VectorSums> r = vectors_of(n, whole);
  double largest_x = 0, largest_w = 0, largest_y = 0;
  ComparedRows c;
  c.result = times_vectors(result, r, workers, stop, largest_y);
  c.expected =
      times_vectors(data.lhs, times_vectors(data.rhs, r, workers, stop, largest_w), workers, stop, largest_x);
  const double terms = static_cast<double>(n) * (whole ? std::ldexp(1.0, kBits - 1) : 1);
  const double size = std::max(largest_y * terms, largest_x * largest_w * static_cast<double>(k) * terms);
  c.allowed = whole ? std::vector<double>(c.result.size()) : allowed_sums(result, tolerance, workers, stop);
  // What f64 itself may be off; sums of whole numbers that it holds are exact.
  const bool exact = whole && size < 0x1p53;
  for (double& allowed : c.allowed) allowed += exact ? 0 : size * static_cast<double>(n + k) * 0x1p-53;
  NumericsReport report;
  report.checked = true;
  report.rtol = tolerance.rtol;
  report.atol = tolerance.atol;
  report.shape = result.dims();
  report.reference = kQuickProduct;
  report_rows(c, report);
  const double most = c.allowed.empty() ? 0 : *std::max_element(c.allowed.begin(), c.allowed.end());
  if (!exact) report.tolerance_max = most;
  report.warnings.push_back(
      exact ? fmt::format(
                  "quick check: rows of Y·r against those of X·(W·r) for {} random vectors r; a wrong row "
                  "passes with a chance of at most 2^-{}",
                  kVectors, kVectors * kBits)
            : fmt::format(
                  "quick check: rows of Y·r and X·(W·r) for {} vectors r of ±1 may differ by the sum of what "
                  "their elements may, up to {:.3g}: smaller errors are not seen; --check exact sees them",
                  kVectors, most));
  return report;
}

}  // namespace shardscope::inline numerics
