// SPDX-License-Identifier: Apache-2.0
#include "engine/session/proof/verdict.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/numerics/array/drawn.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::inline session {
namespace {

// f64's roundings, scaled up a hundred million times: still far below any contribution that could be missing.
constexpr double kRounding = 1e-8;
// What one unit in the last place does to a result, other roundings may do this many times over.
constexpr double kNoise = 256;

constexpr int64_t kStretch = 1 << 14;

// A complex array as one of its parts.
Array parts_of(const Array& array) {
  if (array.type() != ElementType::c128) return array;
  std::vector<int64_t> dims = array.dims();
  dims.push_back(2);
  return Array::adopt(ElementType::f64, std::move(dims), array.buffer());
}

// Calls with each element of both arrays, as f64.
template <class F>
void for_pairs(const Array& whole_a, const Array& whole_b, const F& f) {
  const Array a = parts_of(whole_a), b = parts_of(whole_b);
  const int64_t count = a.element_count();
  for (int64_t first = 0; first < count; first += kStretch) {
    const int64_t n = std::min(kStretch, count - first);
    const std::vector<double> x = as_f64(a, first, n), y = as_f64(b, first, n);
    for (size_t i = 0; i < x.size(); ++i) f(x[i], y[i]);
  }
}

double root_mean_square(const Array& a) {
  double sum = 0;
  int64_t count = 0;
  for_pairs(a, a, [&](double x, double) {
    if (!std::isfinite(x)) return;
    sum += x * x;
    ++count;
  });
  return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

// The largest finite difference; infinite where one of two is not finite.
double largest_difference(const Array& a, const Array& b) {
  double out = 0;
  for_pairs(a, b, [&](double x, double y) {
    if (same(x, y)) return;
    const double size = std::fabs(x - y);
    out = std::max(out, std::isfinite(size) ? size : HUGE_VAL);
  });
  return out;
}

// By how much roundings move a result; what is of some size and moves by all of it may become anything.
double movement(const ExactResults& exact, size_t leaf) {
  double out = 0;
  for (const std::vector<Array>& moved : exact.moved)
    out = std::max(out, largest_difference(moved[leaf], exact.leaves[leaf]));
  const double size = root_mean_square(exact.leaves[leaf]);
  return size >= 1 && out >= size ? HUGE_VAL : out;
}

// By how much an element is further off than its own rounding in f64.
double beyond_rounding(const Array& got, const Array& exact) {
  const double scale = kRounding * root_mean_square(exact);
  double out = 0;
  for_pairs(got, exact, [&](double x, double y) {
    if (same(x, y)) return;
    const double size = std::fabs(x - y);
    if (!std::isfinite(size)) out = HUGE_VAL;
    if (size > scale + kRounding * std::fabs(y)) out = std::max(out, size);
  });
  return out;
}

}  // namespace

double relative_error(const Array& a, const Array& b) {
  double error = 0, size = 0;
  for_pairs(a, b, [&](double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    error += (x - y) * (x - y);
    size += y * y;
  });
  return size == 0 ? std::sqrt(error) : std::sqrt(error / size);
}

ExactDifference differ(const std::vector<Array>& got, const ExactResults& exact) {
  ExactDifference out;
  for (size_t k = 0; k < exact.leaves.size(); ++k) {
    if (got[k].data() == nullptr || exact.leaves[k].data() == nullptr) continue;  // not known, or nothing
    const double beyond = beyond_rounding(got[k], exact.leaves[k]);
    if (beyond == 0) continue;
    // What jumps with its arguments (a place, a rounding to whole numbers) may have jumped here too.
    if (beyond <= kNoise * movement(exact, k)) {
      out.noise.push_back(k);
      continue;
    }
    if (!out.differs) out.leaf = k;
    out.differs = true;
    out.largest = std::max(out.largest, beyond);
  }
  return out;
}

Array moved_by_one_unit(const Array& whole, ElementType type, uint64_t seed) {
  if (whole.type() != ElementType::f64 && whole.type() != ElementType::c128) return whole;
  const double unit = std::ldexp(1.0, 1 - element_type(type).digits);
  const Array array = parts_of(whole);
  Array out = Array::allocate(whole.type(), whole.dims());
  const auto from = array.as<double>();
  const std::span<double> to(reinterpret_cast<double*>(out.mutable_data()), from.size());
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = from[i] * (mixed_bits(seed + i) % 2 == 0 ? 1 + unit : 1 - unit);
  return out;
}

}  // namespace shardscope::inline session
