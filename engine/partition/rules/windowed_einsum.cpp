// SPDX-License-Identifier: Apache-2.0
// S. Wang et al., "Overlap communication with dependent computation via decomposition in large deep learning
// models", ASPLOS 2023, as XLA's partitioner does it: instead of gathering an operand (or scattering a sum) a
// loop passes its shards round the devices and multiplies each as it comes by.
#include <algorithm>

#include "engine/partition/rules/dot_partitioner.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope {
namespace {

constexpr int64_t kMaxIterations = 32;

}  // namespace

bool DotPartitioner::may_be_windowed(const Level& level) const {
  const std::string* attributes = verbatim_attribute(instruction_, "frontend_attributes");
  return options_.windowed_einsum_mib.has_value() && level.scope.groups.count() == 1 &&
         (attributes == nullptr || attributes->find("_xla_collective_matmul=\"none\"") == std::string::npos);
}

// The axis along which all devices cut `side`, if it is one.
std::optional<DotPartitioner::Window> DotPartitioner::find_window(const Level& level, Side side) const {
  const int64_t n = level.devices();
  const Sharded& moving = side == kLhs ? level.lhs : level.rhs;
  const Sharded& staying = side == kLhs ? level.rhs : level.lhs;
  const auto which = side == kLhs ? &DotAxis::lhs : &DotAxis::rhs,
             other = side == kLhs ? &DotAxis::rhs : &DotAxis::lhs;
  Window w;
  w.side = side;
  w.order = moving.tiling.order;
  if (moving.tiling.tiles() != n || n < 2 || n > kMaxIterations) return std::nullopt;
  for (const auto* axes : {&axes_.contracting, side == kLhs ? &axes_.lhs_free : &axes_.rhs_free}) {
    for (const DotAxis& axis : *axes) {
      const auto d = static_cast<size_t>(axis.*which);
      if (moving.tiling.counts[d] != n || moving.base.dims[d] % n != 0) continue;
      w.dim = d;
      w.other_dim = axis.*other;
      w.out_dim = axis.out;
      const bool mib = options_.windowed_einsum_mib &&
                       static_cast<double>(moving.base.bytes()) >= *options_.windowed_einsum_mib * 1048576.0;
      const bool whole_there = staying.tiling.tiles() == n && level.out.tiles() == n;
      if (mib && whole_there) return w;
    }
  }
  return std::nullopt;
}

// The other operand is cut like the result along its own dimension: only `side` would have to be gathered.
DotPartitioner::Attempt DotPartitioner::windowed_case(const Level& level, Side side) {
  if (!may_be_windowed(level)) return std::nullopt;
  const auto found = find_window(level, side);
  if (!found) return std::nullopt;
  const bool left = side == kLhs;
  const auto& free = left ? axes_.rhs_free : axes_.lhs_free;
  const Sharded& staying = left ? level.rhs : level.lhs;
  for (const DotAxis& axis : free) {
    const auto d = static_cast<size_t>(left ? axis.rhs : axis.lhs);
    const auto o = static_cast<size_t>(axis.out);
    if (staying.tiling.counts[d] != level.devices() || level.out.counts[o] != level.devices()) continue;
    const auto a = staying.tiling.coordinates(), b = level.out.coordinates();
    bool same = true;
    for (size_t device = 0; device < a.size(); ++device) same = same && a[device][d] == b[device][o];
    if (same) return window_loop(level, *found);
  }
  return std::nullopt;
}

// Both operands are cut along the contraction and the result along one operand's own axis: a sum that every
// device would have a part of.
DotPartitioner::Attempt DotPartitioner::windowed_sum_case(const Level& level) {
  const int64_t n = level.devices();
  const auto on_lhs = dims(axes_.contracting, &DotAxis::lhs), on_rhs = dims(axes_.contracting, &DotAxis::rhs);
  if (!may_be_windowed(level) || n < 2 || n > kMaxIterations) return std::nullopt;
  if (static_cast<double>(level.base.bytes()) < *options_.windowed_einsum_mib * 1048576.0)
    return std::nullopt;
  if (level.lhs.tiling.count_of(on_lhs) != n || level.rhs.tiling.count_of(on_rhs) != n) return std::nullopt;
  const auto a = level.lhs.tiling.coordinates(), b = level.rhs.tiling.coordinates();
  for (const DotAxis& axis : axes_.contracting) {
    const auto l = static_cast<size_t>(axis.lhs), r = static_cast<size_t>(axis.rhs);
    if (level.lhs.base.dims[l] % level.lhs.tiling.counts[l] != 0) return std::nullopt;
    for (size_t device = 0; device < a.size(); ++device)
      if (a[device][l] != b[device][r]) return std::nullopt;
  }
  for (const Side side : {kLhs, kRhs}) {
    for (const DotAxis& axis : side == kLhs ? axes_.lhs_free : axes_.rhs_free) {
      const auto o = static_cast<size_t>(axis.out);
      if (level.out.counts[o] != n || level.base.dims[o] % n != 0) continue;
      Window w;
      w.side = side;
      w.dim = static_cast<size_t>(side == kLhs ? axis.lhs : axis.rhs);
      w.out_dim = axis.out;
      w.scatters = true;
      w.order = level.out.order;
      return window_loop(level, w);
    }
  }
  return std::nullopt;
}

}  // namespace shardscope
