// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/numerics/check/numerics.h"
#include "engine/numerics/rules/convert.h"

namespace shardscope {

namespace {

// |a − b| of one pair as numpy's isclose sees it.
struct Difference {
  double size = 0;     // 0 for what is not a number
  bool finite = true;  // the size means something
  bool close = true;
};

Difference difference(double a, double b, double rtol, double atol) {
  if (a == b) return {};
  if (!std::isfinite(a) || !std::isfinite(b)) return {0, false, false};
  const double size = std::fabs(a - b);
  return {size, true, size <= atol + rtol * std::fabs(b)};
}

struct RegionSum {
  double sum = 0;
  int64_t finite = 0, bad = 0, count = 0;
  double worst = -1;  // infinite for what is not a number
  int64_t worst_at = -1;
  double needed = 0;  // the largest atol that an element needs
};

// Grid cells along a dimension of `extent`.
int64_t grid(int64_t extent) {
  return std::clamp<int64_t>(extent, 1, 8);
}

}  // namespace

NumericsReport compare(const Array& result, const Array& reference, double rtol, double atol) {
  return compare(result, reference, rtol, atol, Workers());
}

NumericsReport compare(const Array& result, const Array& reference, double rtol, double atol,
                       const Workers& workers) {
  CHECK(result.dims() == reference.dims());
  NumericsReport report;
  report.checked = true;
  report.rtol = rtol;
  report.atol = atol;
  report.shape = result.dims();
  const int64_t count = result.element_count();
  if (count == 0) {
    report.allclose = true;
    return report;
  }
  // The last dimension is columns, all others are rows.
  const int64_t columns = result.dims().empty() ? 1 : result.dims().back(), rows = count / columns;
  report.region_rows = grid(rows);
  report.region_cols = grid(columns);
  const int64_t cells = report.region_rows * report.region_cols;
  std::vector<RegionSum> sums(static_cast<size_t>(cells));
  std::vector<float> sizes(static_cast<size_t>(count));
  workers.parallel_for(cells, [&](int64_t cell) {
    RegionSum region;
    const int64_t i = cell / report.region_cols, j = cell % report.region_cols;
    const int64_t left = j * columns / report.region_cols, right = (j + 1) * columns / report.region_cols;
    for (int64_t r = i * rows / report.region_rows; r < (i + 1) * rows / report.region_rows; ++r) {
      const int64_t first = r * columns + left;
      const std::vector<double> a = as_f64(result, first, right - left),
                                b = as_f64(reference, first, right - left);
      for (size_t c = 0; c < a.size(); ++c) {
        const int64_t at = first + static_cast<int64_t>(c);
        const Difference d = difference(a[c], b[c], rtol, atol);
        const double rank = d.finite ? d.size : HUGE_VAL;
        if (rank > region.worst) {
          region.worst = rank;
          region.worst_at = at;
        }
        region.needed = std::max(region.needed, d.finite ? d.size - rtol * std::fabs(b[c]) : HUGE_VAL);
        region.sum += d.size;
        region.finite += d.finite;
        region.bad += !d.close;
        ++region.count;
        sizes[static_cast<size_t>(at)] = static_cast<float>(d.size);
      }
    }
    sums[static_cast<size_t>(cell)] = region;
  });
  RegionSum all;
  for (int64_t cell = 0; cell < cells; ++cell) {
    const RegionSum& region = sums[static_cast<size_t>(cell)];
    const int64_t i = cell / report.region_cols, j = cell % report.region_cols;
    all.sum += region.sum;
    all.finite += region.finite;
    all.bad += region.bad;
    report.smallest_atol = std::max(report.smallest_atol, region.needed);
    if (region.worst > all.worst || (region.worst == all.worst && region.worst_at < all.worst_at)) {
      all.worst = region.worst;
      all.worst_at = region.worst_at;
    }
    if (std::isfinite(region.worst)) report.max_abs = std::max(report.max_abs, region.worst);
    report.regions.push_back({{i * rows / report.region_rows, j * columns / report.region_cols},
                              {(i + 1) * rows / report.region_rows, (j + 1) * columns / report.region_cols},
                              region.finite == 0 ? 0 : region.sum / static_cast<double>(region.finite),
                              100.0 * static_cast<double>(region.bad) / static_cast<double>(region.count)});
  }
  if (std::isinf(all.worst)) {  // the largest finite difference of a region with others needs a second look
    for (float size : sizes) report.max_abs = std::max(report.max_abs, static_cast<double>(size));
  }
  report.allclose = all.bad == 0;
  report.mean_abs = all.finite == 0 ? 0 : all.sum / static_cast<double>(all.finite);
  report.percent_bad = 100.0 * static_cast<double>(all.bad) / static_cast<double>(count);
  if (all.sum > 0) {
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    report.median_abs = static_cast<double>(*middle);
    if (sizes.size() % 2 == 0) {
      report.median_abs =
          (report.median_abs + static_cast<double>(*std::max_element(sizes.begin(), middle))) / 2;
    }
  }
  report.worst_value = result.at(all.worst_at);
  report.worst_reference = reference.at(all.worst_at);
  report.worst_index.resize(result.dims().size());
  int64_t rest = all.worst_at;
  for (size_t d = result.dims().size(); d-- > 0;) {
    report.worst_index[d] = rest % result.dims()[d];
    rest /= result.dims()[d];
  }
  return report;
}

}  // namespace shardscope
