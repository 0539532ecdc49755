// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <span>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/check/numerics.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope::inline numerics {

namespace {

using Complex = std::complex<double>;

// |a − b| of one pair as numpy's isclose sees it.
struct Difference {
  double size = 0;     // 0 for what is not a number
  bool finite = true;  // the size means something
  bool close = true;
};

bool is_finite(double x) {
  return std::isfinite(x);
}
bool is_finite(Complex x) {
  return std::isfinite(x.real()) && std::isfinite(x.imag());
}

template <class Number>
Difference difference(Number a, Number b, double allowed) {
  if (a == b) return {};
  if (!is_finite(a) || !is_finite(b)) return {0, false, false};
  const double size = std::abs(a - b);
  return {size, true, size <= allowed};
}

// Elements [first, first + count) of an array: real or complex ones.
template <class Number>
std::vector<Number> numbers_of(const Array& array, int64_t first, int64_t count) {
  std::vector<Number> out(static_cast<size_t>(count));
  convert_elements(array.type(), array.data() + stored_bytes(array.type(), first),
                   std::is_same_v<Number, Complex> ? ElementType::c128 : ElementType::f64,
                   reinterpret_cast<std::byte*>(out.data()), count);
  return out;
}

struct RegionSum {
  double sum = 0;
  int64_t finite = 0, bad = 0, above = 0, count = 0;
  double worst = -1;  // infinite for what is not a number
  int64_t worst_at = -1;
  double needed = 0;   // the largest atol that an element needs
  double allowed = 0;  // the largest that one may be off
};

constexpr double kAbove = 1e-3;  // of the reference: percent_above_0_1

// Two arrays as matrices, the last dimension being columns and all others rows, in cells of a grid.
struct Compared {
  const Array &result, &reference;
  const Tolerance& tolerance;
  int64_t rows, columns;
  int64_t grid_rows, grid_columns;

  NumericsRegion box(int64_t cell) const {
    const int64_t i = cell / grid_columns, j = cell % grid_columns;
    return {{i * rows / grid_rows, j * columns / grid_columns},
            {(i + 1) * rows / grid_rows, (j + 1) * columns / grid_columns}};
  }
};

// One cell; `sizes` gets the difference of each of its elements.
template <class Number>
RegionSum region_sum(const Compared& c, int64_t cell, std::vector<float>& sizes) {
  RegionSum region;
  const NumericsRegion box = c.box(cell);
  const int64_t left = box.start[1], right = box.stop[1];
  const auto rounding =
      c.tolerance.rounding.element_count() == 0 ? std::span<const float>() : c.tolerance.rounding.as<float>();
  for (int64_t r = box.start[0]; r < box.stop[0]; ++r) {
    const int64_t first = r * c.columns + left;
    const std::vector<Number> a = numbers_of<Number>(c.result, first, right - left),
                              b = numbers_of<Number>(c.reference, first, right - left);
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t at = first + static_cast<int64_t>(i);
      const double own = rounding.empty() ? 0 : static_cast<double>(rounding[static_cast<size_t>(at)]);
      const double allowed = c.tolerance.atol + c.tolerance.rtol * std::abs(b[i]) + own;
      const Difference d = difference(a[i], b[i], allowed);
      const double rank = d.finite ? d.size : HUGE_VAL;
      if (rank > region.worst) {
        region.worst = rank;
        region.worst_at = at;
      }
      region.needed =
          std::max(region.needed, d.finite ? d.size - c.tolerance.rtol * std::abs(b[i]) : HUGE_VAL);
      if (std::isfinite(allowed)) region.allowed = std::max(region.allowed, allowed);
      region.above += !d.finite || d.size > kAbove * std::abs(b[i]);
      region.sum += d.size;
      region.finite += d.finite;
      region.bad += !d.close;
      ++region.count;
      sizes[static_cast<size_t>(at)] = static_cast<float>(d.size);
    }
  }
  return region;
}

// A cell of arrays that are the same.
RegionSum equal_region(const Compared& c, int64_t cell) {
  const NumericsRegion box = c.box(cell);
  RegionSum region;
  region.count = region.finite = (box.stop[0] - box.start[0]) * (box.stop[1] - box.start[1]);
  region.worst = 0;
  region.worst_at = box.start[0] * c.columns + box.start[1];
  return region;
}

// The cells' sums as one, and a region of the report for each.
RegionSum joined(const Compared& c, const std::vector<RegionSum>& sums, NumericsReport& report) {
  RegionSum all;
  for (size_t cell = 0; cell < sums.size(); ++cell) {
    const RegionSum& region = sums[cell];
    all.sum += region.sum;
    all.finite += region.finite;
    all.bad += region.bad;
    all.above += region.above;
    all.allowed = std::max(all.allowed, region.allowed);
    report.smallest_atol = std::max(report.smallest_atol, region.needed);
    if (region.worst > all.worst || (region.worst == all.worst && region.worst_at < all.worst_at)) {
      all.worst = region.worst;
      all.worst_at = region.worst_at;
    }
    if (std::isfinite(region.worst)) report.max_abs = std::max(report.max_abs, region.worst);
    NumericsRegion& box = report.regions.emplace_back(c.box(static_cast<int64_t>(cell)));
    box.mean_abs = region.finite == 0 ? 0 : region.sum / static_cast<double>(region.finite);
    box.percent_bad = 100.0 * static_cast<double>(region.bad) / static_cast<double>(region.count);
  }
  return all;
}

double median(std::vector<float>& sizes) {
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const auto upper = static_cast<double>(*middle);
  if (sizes.size() % 2 != 0) return upper;
  return (upper + static_cast<double>(*std::max_element(sizes.begin(), middle))) / 2;
}

std::vector<int64_t> index_of(int64_t flat, const std::vector<int64_t>& dims) {
  std::vector<int64_t> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = flat % dims[d];
    flat /= dims[d];
  }
  return index;
}

}  // namespace

NumericsReport compare(const Array& result, const Array& reference, double rtol, double atol) {
  return compare(result, reference, {rtol, atol}, Workers());
}

NumericsReport compare(const Array& result, const Array& reference, const Tolerance& tolerance,
                       const Workers& workers, const RegionGrid& regions) {
  CHECK(result.dims() == reference.dims());
  NumericsReport report;
  report.checked = true;
  report.rtol = tolerance.rtol;
  report.atol = tolerance.atol;
  report.shape = result.dims();
  const int64_t count = result.element_count();
  if (count == 0) {
    report.allclose = true;
    return report;
  }
  const int64_t columns = result.dims().empty() ? 1 : result.dims().back();
  const int64_t rows = count / columns;
  const Compared c{result,
                   reference,
                   tolerance,
                   rows,
                   columns,
                   std::min(rows, regions.rows),
                   std::min(columns, regions.columns)};
  report.region_rows = c.grid_rows;
  report.region_cols = c.grid_columns;
  std::vector<RegionSum> sums(static_cast<size_t>(c.grid_rows * c.grid_columns));
  const bool equal = tolerance.rounding.element_count() == 0 && equal_and_finite(result, reference);
  const bool complex = is_complex(result.type());
  std::vector<float> sizes(equal ? 0 : static_cast<size_t>(count));
  workers.parallel_for(std::ssize(sums), [&](int64_t cell) {
    sums[static_cast<size_t>(cell)] = equal     ? equal_region(c, cell)
                                      : complex ? region_sum<Complex>(c, cell, sizes)
                                                : region_sum<double>(c, cell, sizes);
  });
  const RegionSum all = joined(c, sums, report);
  if (std::isinf(all.worst)) {  // the largest finite difference of a region with others needs a second look
    for (const float size : sizes) report.max_abs = std::max(report.max_abs, static_cast<double>(size));
  }
  report.allclose = all.bad == 0;
  report.mean_abs = all.finite == 0 ? 0 : all.sum / static_cast<double>(all.finite);
  report.percent_bad = 100.0 * static_cast<double>(all.bad) / static_cast<double>(count);
  report.percent_above_0_1 = 100.0 * static_cast<double>(all.above) / static_cast<double>(count);
  if (tolerance.rounding.element_count() > 0) report.tolerance_max = all.allowed;
  if (all.sum > 0) report.median_abs = median(sizes);
  report.worst_value = result.at(all.worst_at);
  report.worst_reference = reference.at(all.worst_at);
  report.worst_index = index_of(all.worst_at, result.dims());
  return report;
}

}  // namespace shardscope::inline numerics
