// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_result.h"

#include <algorithm>
#include <set>

#include "engine/partition/rules/dot_grouping.h"

namespace shardscope::inline partitioner {
namespace {

// Which part of a dimension, or of several together, each device has.
struct Division {
  int64_t count = 1;
  std::vector<int64_t> places;  // by device
  bool operator==(const Division&) const = default;
};

Division division_of(const Tiling& tiling, int64_t dim) {
  const auto d = static_cast<size_t>(dim);
  return {tiling.counts[d], tiling.coordinates().along(d)};
}

// Row-major.
Division together(const Division& major, const Division& minor) {
  Division out{major.count * minor.count, major.places};
  for (size_t device = 0; device < out.places.size(); ++device)
    out.places[device] = out.places[device] * minor.count + minor.places[device];
  return out;
}

// No axis cuts both.
bool are_apart(const Division& a, const Division& b) {
  const Division both = together(a, b);
  return static_cast<int64_t>(std::set<int64_t>(both.places.begin(), both.places.end()).size()) == both.count;
}

// The tiling with another division of one dimension; none: some tiles would have more copies than others.
std::optional<Tiling> recut(const Tiling& tiling, int64_t dim, const Division& division) {
  Division whole{1, std::vector<int64_t>(static_cast<size_t>(tiling.devices()), 0)};
  Tiling out = tiling;
  out.counts[static_cast<size_t>(dim)] = division.count;
  for (size_t d = 0; d < tiling.rank(); ++d)
    whole = together(
        whole, static_cast<int64_t>(d) == dim ? division : division_of(tiling, static_cast<int64_t>(d)));
  std::vector<int64_t> copies(static_cast<size_t>(whole.count));
  for (const int64_t place : whole.places) ++copies[static_cast<size_t>(place)];
  if (std::ranges::any_of(copies, [&](int64_t n) { return n != copies.front(); })) return std::nullopt;
  std::ranges::stable_sort(out.order.edit(), {},
                           [&](int64_t device) { return whole.places[static_cast<size_t>(device)]; });
  return out;
}

// Along each pair of dimensions both operands are cut alike.
bool are_alike(const std::vector<DotAxis>& axes, const Sharded& lhs, const Sharded& rhs) {
  return same_places(lhs.tiling, dims_of(axes, &DotAxis::lhs), rhs.tiling, dims_of(axes, &DotAxis::rhs));
}

// A dimension of the result as its operand has it.
struct Kept {
  int64_t dim = 0;
  Division division;
  int64_t elements = 0;  // of the operand
};

std::vector<Kept> kept_dims(const DotAxes& axes, const Sharded& lhs, const Sharded& rhs) {
  const int64_t left = lhs.base.element_count(), right = rhs.base.element_count();
  std::vector<Kept> out;
  for (const DotAxis& a : axes.batch)
    out.push_back({a.out, division_of(lhs.tiling, a.lhs), std::max(left, right)});
  for (const DotAxis& a : axes.lhs_free) out.push_back({a.out, division_of(lhs.tiling, a.lhs), left});
  for (const DotAxis& a : axes.rhs_free) out.push_back({a.out, division_of(rhs.tiling, a.rhs), right});
  return out;
}

}  // namespace

std::optional<Tiling> tiling_before_reshard(const DotAxes& axes, const Sharded& lhs, const Sharded& rhs,
                                            const Shape& result, const Tiling& out) {
  if (lhs.tiling.count_of(dims_of(axes.contracting, &DotAxis::lhs)) == 1) return std::nullopt;
  if (!are_alike(axes.contracting, lhs, rhs) || !are_alike(axes.batch, lhs, rhs)) return std::nullopt;
  for (const DotAxis& a : axes.lhs_free)
    for (const DotAxis& b : axes.rhs_free)
      if (!are_apart(division_of(lhs.tiling, a.lhs), division_of(rhs.tiling, b.rhs))) return std::nullopt;
  std::optional<Kept> other;  // the one dimension that the result has otherwise
  for (Kept& kept : kept_dims(axes, lhs, rhs)) {
    if (division_of(out, kept.dim) == kept.division) continue;
    if (other || kept.division.count == 1 || result.element_count() > kept.elements) return std::nullopt;
    other = std::move(kept);
  }
  if (!other) return std::nullopt;
  Division summed{1, std::vector<int64_t>(static_cast<size_t>(out.devices()), 0)};
  for (const DotAxis& axis : axes.contracting) summed = together(summed, division_of(lhs.tiling, axis.lhs));
  if (division_of(out, other->dim) != summed) return std::nullopt;
  return recut(out, other->dim, other->division);
}

}  // namespace shardscope::inline partitioner
