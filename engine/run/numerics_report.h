// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/element_type.h"

namespace shardscope::inline run {

// One cell of the grid that the compared arrays are cut in.
struct NumericsRegion {
  std::vector<int64_t> start, stop;  // index range per dimension
  double mean_abs = 0;
  double percent_bad = 0;
  bool operator==(const NumericsRegion&) const = default;
};

// Size of an error against Y in f64 before any rounding: ‖error‖ / ‖Y‖ (Frobenius), root mean square,
// largest.
struct ErrorNorms {
  double rel_frobenius = 0, rms = 0, max_abs = 0;
  bool operator==(const ErrorNorms&) const = default;
};

// Result and reference against the product in f64 before any rounding: which of the two is the inaccurate
// side.
struct ExactComparison {
  ErrorNorms result, reference;
  // The element that needs the largest atol (empty when all are equal): where the comparison is decided.
  std::vector<int64_t> index;
  double value = 0, reference_value = 0, exact_value = 0;
  // Its sums in f64 over equal stretches of k, as long as what one product of the program adds up.
  std::vector<double> partials;
  std::string explanation;  // why the two differ, from these numbers
  // What the side that is looked at keeps those sums in; none: unknown.
  std::optional<ElementType> partial_type{};
  bool of_reference = false;  // that side is the reference
  bool operator==(const ExactComparison&) const = default;
};

// What of a module was run to prove it: all of it, the same module with smaller arrays, nothing.
enum class ProofSize { full, shrunk, off };
constexpr const char* name(ProofSize size) {
  return size == ProofSize::full ? "full" : size == ProofSize::shrunk ? "shrunk" : "off";
}

// How the program's result compares with the reference, by numpy's allclose: |a − b| ≤ atol + rtol·|b|, a the
// result, b the reference; equal infinities pass, NaN fails.
struct NumericsReport {
  bool checked = false;
  bool allclose = false;
  double rtol = 0, atol = 0;
  double max_abs = 0, mean_abs = 0, median_abs = 0;  // NaN and infinite differences count as bad, not as size
  double percent_bad = 0;
  std::vector<int64_t> worst_index;
  double worst_value = 0, worst_reference = 0;
  std::vector<int64_t> shape;
  std::vector<NumericsRegion> regions;  // row-major grid
  int64_t region_rows = 0, region_cols = 0;
  std::vector<std::string> warnings;  // "s32 wraps: …", "the data is too smooth to prove anything: …"
  std::string array{};                // of several outputs: the worst, which all of this is about
  std::string reference = "f64";      // or the strategy whose result it is
  double smallest_atol = 0;           // the least atol that passes at this rtol; infinite when none does
  std::optional<ExactComparison> exact{};  // none when the result is no product
  double percent_above_0_1 = 0;  // of elements, those that differ by more than 0.1 % of the reference
  // The largest that an element may be off: every element has a tolerance of its own, atol + rtol·|reference|
  // and what the program's roundings can do. None: the roundings count for nothing.
  std::optional<double> tolerance_max{};
  ProofSize check = ProofSize::full;  // with `checked`; of what was not checked: off
  double scale = 1;                   // elements of its arrays that were computed, of all
  std::string reason{};               // why not all, or nothing
  bool operator==(const NumericsReport&) const = default;
};

// Wall-clock times of executing the program, over `--repeat`. Never on the simulated axis.
struct Measured {
  double wall_s = 0;  // the median
  double mean_s = 0, median_s = 0, stdev_s = 0, min_s = 0, max_s = 0, p95_s = 0, p99_s = 0;
  int64_t repeat = 0, warmup = 0;
  std::string kernel;  // which product kernel ran: "packed-avx512", "openblas-sgemm-SkylakeX"
  bool operator==(const Measured&) const = default;
};

}  // namespace shardscope::inline run
