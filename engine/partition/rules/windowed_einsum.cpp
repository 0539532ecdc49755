// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/windowed_einsum.h"

#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

constexpr int64_t kMaxIterations = 32;

// All devices are in one group, a loop of that many rounds is allowed, and the module does not forbid it.
bool may_loop(const DotContext& cx, const DotLevel& level) {
  const std::string* attributes = verbatim_attribute(cx.instruction, "frontend_attributes");
  const int64_t n = level.devices();
  return n >= 2 && n <= kMaxIterations && level.scope.groups.count() == 1 &&
         (attributes == nullptr || attributes->find("_xla_collective_matmul=\"none\"") == std::string::npos);
}

// There is a threshold, and the array reaches it.
bool is_large(const PartitionOptions& options, const Shape& array) {
  return options.windowed_einsum_mib &&
         static_cast<double>(array.bytes()) >= *options.windowed_einsum_mib * 1048576.0;
}

// Every device has the same part of the dimensions `on_a` and `on_b` of two arrays.
bool same_parts(const Tiling& a, int64_t on_a, const Tiling& b, int64_t on_b) {
  const auto pa = a.coordinates(), pb = b.coordinates();
  for (size_t device = 0; device < pa.size(); ++device)
    if (pa[device][static_cast<size_t>(on_a)] != pb[device][static_cast<size_t>(on_b)]) return false;
  return true;
}

// The axis along which all devices cut `side`, if it is one.
std::optional<EinsumWindow> find_window(const DotContext& cx, const DotLevel& level, DotSide side) {
  const int64_t n = level.devices();
  const Sharded& moving = level.operand(side);
  const Sharded& staying = level.operand(opposite(side));
  if (!is_large(cx.options, moving.base) || moving.tiling.tiles() != n || staying.tiling.tiles() != n ||
      level.out.tiles() != n)
    return std::nullopt;
  for (const auto* axes : {&cx.axes.contracting, &free_axes(cx.axes, side)}) {
    for (const DotAxis& axis : *axes) {
      const auto d = static_cast<size_t>(axis.*dim_in(side));
      if (moving.tiling.counts[d] == n && moving.base.dims[d] % n == 0)
        return EinsumWindow{side, d, axis.*dim_in(opposite(side)), axis.out, false, moving.tiling.order};
    }
  }
  return std::nullopt;
}

// Both operands have the same parts of every contracted axis, without padding on the left.
bool contracts_alike(const DotAxes& axes, const DotLevel& level) {
  for (const DotAxis& axis : axes.contracting) {
    const auto l = static_cast<size_t>(axis.lhs);
    if (level.lhs.base.dims[l] % level.lhs.tiling.counts[l] != 0 ||
        !same_parts(level.lhs.tiling, axis.lhs, level.rhs.tiling, axis.rhs))
      return false;
  }
  return true;
}

}  // namespace

std::optional<Sharded> windowed_case(const DotContext& cx, const DotLevel& level, DotSide side) {
  if (!may_loop(cx, level)) return std::nullopt;
  const auto found = find_window(cx, level, side);
  if (!found) return std::nullopt;
  const Tiling& staying = level.operand(opposite(side)).tiling;
  for (const DotAxis& axis : free_axes(cx.axes, opposite(side))) {
    const int64_t d = axis.*dim_in(opposite(side));
    if (staying.counts[static_cast<size_t>(d)] == level.devices() &&
        level.out.counts[static_cast<size_t>(axis.out)] == level.devices() &&
        same_parts(staying, d, level.out, axis.out))
      return window_loop(cx, level, *found);
  }
  return std::nullopt;
}

std::optional<Sharded> windowed_sum_case(const DotContext& cx, const DotLevel& level) {
  const int64_t n = level.devices();
  const auto& contracting = cx.axes.contracting;
  if (!may_loop(cx, level) || !is_large(cx.options, level.base) ||
      level.lhs.tiling.count_of(dims_of(contracting, &DotAxis::lhs)) != n ||
      level.rhs.tiling.count_of(dims_of(contracting, &DotAxis::rhs)) != n || !contracts_alike(cx.axes, level))
    return std::nullopt;
  for (const DotSide side : {DotSide::lhs, DotSide::rhs}) {
    for (const DotAxis& axis : free_axes(cx.axes, side)) {
      const auto o = static_cast<size_t>(axis.out);
      if (level.out.counts[o] != n || level.base.dims[o] % n != 0) continue;
      const auto dim = static_cast<size_t>(axis.*dim_in(side));
      return window_loop(cx, level, {side, dim, -1, axis.out, true, level.out.order});
    }
  }
  return std::nullopt;
}

}  // namespace shardscope::inline partitioner
