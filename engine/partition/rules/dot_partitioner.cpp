// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/dot_partitioner.h"

#include <algorithm>

#include "engine/partition/rules/dot_space.h"
#include "engine/partition/rules/windowed_einsum.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// Counts of one operand's dimensions over a class of axes.
int64_t product_of(const Tiling& tiling, const std::vector<int64_t>& dims) {
  return tiling.count_of(dims);
}

// For each dimension of `rank` the one of another array that stands on the same axis, or -1.
std::vector<int64_t> mapping(size_t rank, const std::vector<DotAxis>& axes, int64_t DotAxis::*to,
                             int64_t DotAxis::*from, std::vector<int64_t> map = {}) {
  map.resize(rank, -1);
  for (const DotAxis& axis : axes)
    if (axis.*to >= 0 && axis.*from >= 0) map[static_cast<size_t>(axis.*to)] = axis.*from;
  return map;
}

// The tiling of a result whose dimensions take over their cuts from the operands.
Tiling result_tiling(const DotAxes& axes, size_t rank, const Sharded& lhs, const Sharded& rhs) {
  auto from_lhs = lhs.tiling.mapped(mapping(rank, axes.lhs_free, &DotAxis::out, &DotAxis::lhs,
                                            mapping(rank, axes.batch, &DotAxis::out, &DotAxis::lhs)));
  auto from_rhs = rhs.tiling.mapped(mapping(rank, axes.rhs_free, &DotAxis::out, &DotAxis::rhs));
  if (from_rhs.is_replicated()) return from_lhs;
  if (from_lhs.is_replicated()) return from_rhs;
  // Both cut: each device's tile is where its two operands are.
  auto place = from_lhs.coordinates();
  const auto other = from_rhs.coordinates();
  Tiling out = from_lhs;
  for (size_t d = 0; d < rank; ++d) {
    if (from_rhs.counts[d] == 1) continue;
    out.counts[d] = from_rhs.counts[d];
    for (size_t device = 0; device < place.size(); ++device) place[device][d] = other[device][d];
  }
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t device) {
    int64_t flat = 0;
    for (size_t d = 0; d < rank; ++d) flat = flat * out.counts[d] + place[static_cast<size_t>(device)][d];
    return flat;
  });
  return out;
}

// Dimensions that are cut; one: which.
std::optional<size_t> only_cut(const Tiling& tiling) {
  std::optional<size_t> out;
  for (size_t d = 0; d < tiling.rank(); ++d) {
    if (tiling.counts[d] == 1) continue;
    if (out) return std::nullopt;
    out = d;
  }
  return out;
}

// XLA cannot exchange one dimension's cuts for another's where other devices share a tile afterwards: it
// gathers the whole array first.
bool goes_through_whole(const Tiling& from, const Tiling& to) {
  const auto before = only_cut(from), behind = only_cut(to);
  if (!before || !behind || *before == *behind || !is_partly_replicated(to) || from.tiles() == to.tiles())
    return false;
  if (from.tiles() % to.tiles() != 0) return true;
  const auto ratio = from.tiles() / to.tiles();
  const auto a = from.coordinates(), b = to.coordinates();
  for (size_t device = 0; device < a.size(); ++device)
    if (a[device][*before] / ratio != b[device][*behind]) return true;
  return false;
}

// A group's part of a dimension that is cut in the group would be a part of each tile, not one behind the
// other: the dimension is gathered first.
Sharded whole_where_sliced(const DotContext& cx, const DotLevel& level, DotSide side, const Sharded& value) {
  std::vector<int64_t> dims;
  for (const auto* axes : {&cx.axes.batch, &free_axes(cx.axes, side)})
    for (const DotAxis& axis : *axes)
      if (std::ranges::count(level.sliced, axis.out) > 0) dims.push_back(axis.*dim_in(side));
  if (value.tiling.count_of(dims) == 1) return value;
  Resharder::Because because(cx.resharder,
                             "dot: a dimension of which each group keeps a part is needed whole", name(side));
  return cx.resharder.to(level.scope, value, value.tiling.merged(dims));
}

}  // namespace

Sharded DotPartitioner::multiplied(const DotLevel& level, const Sharded& left, const Sharded& right) {
  const Sharded lhs = whole_where_sliced(cx_, level, DotSide::lhs, left),
                rhs = whole_where_sliced(cx_, level, DotSide::rhs, right);
  InstructionId id = local_dot(cx_, level.base, lhs.id, rhs.id);
  if (level.finish) id = level.finish(id);
  return {id, level.base, result_tiling(cx_.axes, level.base.rank(), lhs, rhs), level.in};
}

Sharded DotPartitioner::moved(const DotLevel& level, DotSide side, const Sharded& value, const Tiling& to,
                              const std::string& why) {
  Resharder::Because because(cx_.resharder, why, name(side));
  if (!goes_through_whole(value.tiling, to)) return cx_.resharder.to(level.scope, value, to);
  const Tiling whole = Tiling::replicated(to.rank(), level.devices());
  return cx_.resharder.to(level.scope, cx_.resharder.to(level.scope, value, whole), to);
}

Sharded DotPartitioner::partition(const DotLevel& level) {
  Attempt made = recurse(level, Groups::as_they_lie);
  if (!made) made = recurse(level, Groups::any);
  if (!made) made = fitted(level);
  Resharder::Because because(cx_.resharder, "dot: its product is moved to the result's sharding", "result");
  return cx_.resharder.to(level.scope, *made, level.out);
}

// Both operands as the result needs them.
Sharded DotPartitioner::fitted(const DotLevel& level) {
  const auto wanted = [&](const Sharded& v, const std::vector<DotAxis>& free, int64_t DotAxis::*which) {
    return level.out.mapped(mapping(v.base.rank(), free, which, &DotAxis::out,
                                    mapping(v.base.rank(), cx_.axes.batch, which, &DotAxis::out)));
  };
  const char* why = "dot, no other rule fits: operands as the result's sharding needs them";
  const Sharded lhs =
      moved(level, DotSide::lhs, level.lhs, wanted(level.lhs, cx_.axes.lhs_free, &DotAxis::lhs), why);
  const Sharded rhs =
      moved(level, DotSide::rhs, level.rhs, wanted(level.rhs, cx_.axes.rhs_free, &DotAxis::rhs), why);
  return multiplied(level, lhs, rhs);
}

DotPartitioner::Attempt DotPartitioner::recurse(const DotLevel& level, Groups groups) {
  if (Attempt made = space_case(cx_, level)) return made;
  if (Attempt made = matched_case(level)) return made;
  if (Attempt made = group_batch(level, groups)) return made;
  if (Attempt made = group_free(level, groups)) return made;
  if (Attempt made = group_contracting(level, groups)) return made;
  if (Attempt made = drop_replicas(level)) return made;
  return last_case(level);
}

DotPartitioner::Attempt DotPartitioner::matched_case(const DotLevel& level) {
  if (is_partly_replicated(level.out)) return std::nullopt;
  if (Attempt made = batch_case(level, true)) return made;
  for (const DotSide side : {DotSide::rhs, DotSide::lhs})
    if (Attempt made = windowed_case(cx_, level, side)) return made;
  if (Attempt made = windowed_sum_case(cx_, level)) return made;
  if (Attempt made = batch_case(level, false)) return made;
  for (const DotSide side : {DotSide::lhs, DotSide::rhs})
    if (Attempt made = free_case(level, side)) return made;
  return std::nullopt;
}

DotPartitioner::Attempt DotPartitioner::last_case(const DotLevel& level) {
  if (is_partly_replicated(level.out)) return std::nullopt;
  if (Attempt made = output_case(level)) return made;
  return slice_contracting_case(level);
}

// Every device has batch entries of its own.
DotPartitioner::Attempt DotPartitioner::batch_case(const DotLevel& level, bool cheap_only) {
  const int64_t n = level.devices();
  const auto on_lhs = dims_of(cx_.axes.batch, &DotAxis::lhs), on_rhs = dims_of(cx_.axes.batch, &DotAxis::rhs),
             on_out = dims_of(cx_.axes.batch, &DotAxis::out);
  const bool lhs_split = product_of(level.lhs.tiling, on_lhs) == n;
  const bool rhs_split = product_of(level.rhs.tiling, on_rhs) == n;
  Sharded lhs = level.lhs, rhs = level.rhs;
  if (lhs_split && rhs_split && same_places(lhs.tiling, on_lhs, rhs.tiling, on_rhs)) {
    return multiplied(level, lhs, rhs);
  }
  const auto follows = [&](const Tiling& t, const std::vector<int64_t>& on) {
    return product_of(level.out, on_out) == n && same_places(t, on, level.out, on_out);
  };
  Resharder::Because because(cx_.resharder,
                             "dot, batch dimensions: one operand is split by batch like the result",
                             lhs_split ? "rhs" : "lhs");
  if (lhs_split && follows(lhs.tiling, on_lhs)) {
    const Tiling to =
        lhs.tiling.mapped(mapping(rhs.base.rank(), cx_.axes.batch, &DotAxis::rhs, &DotAxis::lhs));
    if (cheap_only && !cx_.resharder.is_cheap(rhs.tiling, to, rhs.base.dims)) return std::nullopt;
    rhs = cx_.resharder.to(level.scope, rhs, to);
  } else if (rhs_split && follows(rhs.tiling, on_rhs)) {
    const Tiling to =
        rhs.tiling.mapped(mapping(lhs.base.rank(), cx_.axes.batch, &DotAxis::lhs, &DotAxis::rhs));
    if (cheap_only && !cx_.resharder.is_cheap(lhs.tiling, to, lhs.base.dims)) return std::nullopt;
    lhs = cx_.resharder.to(level.scope, lhs, to);
  } else {
    return std::nullopt;
  }
  return multiplied(level, lhs, rhs);
}

// One operand is split by its own dimensions like the result; the other one is needed whole.
DotPartitioner::Attempt DotPartitioner::free_case(const DotLevel& level, DotSide side) {
  const int64_t n = level.devices();
  const bool left = side == DotSide::lhs;
  const auto& axes = free_axes(cx_.axes, side);
  const auto on = dims_of(axes, dim_in(side)), on_out = dims_of(axes, &DotAxis::out);
  const Sharded& split = level.operand(side);
  if (n == 1 || product_of(split.tiling, on) != n || product_of(level.out, on_out) != n ||
      !same_places(split.tiling, on, level.out, on_out))
    return std::nullopt;
  const Sharded& other = level.operand(opposite(side));
  Resharder::Because because(
      cx_.resharder,
      std::string("dot, ") + name(side) + " is split like the result: the other operand is needed whole",
      name(opposite(side)));
  const Sharded whole = cx_.resharder.to(level.scope, other, Tiling::replicated(other.base.rank(), n));
  const Sharded& lhs = left ? split : whole;
  const Sharded& rhs = left ? whole : split;
  return multiplied(level, lhs, rhs);
}

// Operands follow the result.
DotPartitioner::Attempt DotPartitioner::output_case(const DotLevel& level) {
  const int64_t n = level.devices();
  const Tiling& out = level.out;
  const auto batch = dims_of(cx_.axes.batch, &DotAxis::out);
  const bool by_batch = product_of(out, batch) == n;
  const bool by_lhs = product_of(out, dims_of(cx_.axes.lhs_free, &DotAxis::out)) == n;
  const bool by_rhs = product_of(out, dims_of(cx_.axes.rhs_free, &DotAxis::out)) == n;
  if (!by_batch && !by_lhs && !by_rhs) return std::nullopt;
  const auto to_lhs = mapping(level.lhs.base.rank(), by_batch ? cx_.axes.batch : cx_.axes.lhs_free,
                              &DotAxis::lhs, &DotAxis::out);
  const auto to_rhs = mapping(level.rhs.base.rank(), by_batch ? cx_.axes.batch : cx_.axes.rhs_free,
                              &DotAxis::rhs, &DotAxis::out);
  const auto follow = [&](DotSide side, bool split, const std::vector<int64_t>& map) {
    const Sharded& v = level.operand(side);
    Resharder::Because because(cx_.resharder, "dot: operands follow the result's sharding", name(side));
    return cx_.resharder.to(level.scope, v, split ? out.mapped(map) : Tiling::replicated(v.base.rank(), n));
  };
  const Sharded lhs = follow(DotSide::lhs, by_batch || by_lhs, to_lhs);
  const Sharded rhs = follow(DotSide::rhs, by_batch || (!by_lhs && by_rhs), to_rhs);
  return multiplied(level, lhs, rhs);
}

// Cutting the whole operand costs nothing, and a sum of small results less than a gather. Not in 2022: a
// notebook's compiled product of P('b','a') and P('b',None) gathers there.
DotPartitioner::Attempt DotPartitioner::slice_contracting_case(const DotLevel& level) {
  const int64_t n = level.devices();
  if (n == 1 || !level.out.is_replicated() || cx_.writer.dialect() == SpmdDialect::tpu2022)
    return std::nullopt;
  for (const DotSide side : {DotSide::lhs, DotSide::rhs}) {
    const Sharded& split = level.operand(side);
    const Sharded& whole = level.operand(opposite(side));
    const auto which = dim_in(side), other = dim_in(opposite(side));
    if (product_of(split.tiling, dims_of(cx_.axes.contracting, which)) != n || !whole.tiling.is_replicated())
      continue;
    if (split.base.element_count() <= level.base.element_count()) continue;
    const Tiling to = split.tiling.mapped(mapping(whole.base.rank(), cx_.axes.contracting, other, which));
    const Sharded cut = cx_.resharder.to(level.scope, whole, to);
    const bool left = side == DotSide::lhs;
    return added_up(level, left ? split : cut, left ? cut : split);
  }
  return std::nullopt;
}

// Every device has a part of the contraction; the parts are added up.
Sharded DotPartitioner::added_up(const DotLevel& level, Sharded lhs, Sharded rhs) {
  const auto on_lhs = dims_of(cx_.axes.contracting, &DotAxis::lhs),
             on_rhs = dims_of(cx_.axes.contracting, &DotAxis::rhs);
  lhs = cx_.resharder.masked(level.scope, lhs, on_lhs, cx_.writer.zero(lhs.base.type));
  rhs = cx_.resharder.masked(level.scope, rhs, on_rhs, cx_.writer.zero(rhs.base.type));
  Resharder::Because because(cx_.resharder, "dot, contracting dimensions: partial products are added up",
                             "result");
  const int64_t first = cx_.writer.count();
  const Sharded part = multiplied(level, lhs, rhs);
  const InstructionId id =
      cx_.resharder.combined(level.scope, {part.id, level.base, lhs.tiling}, on_lhs, Opcode::add);
  const Tiling whole = Tiling::replicated(level.base.rank(), level.devices());
  cx_.resharder.note_sum(first, whole, level.in.get());
  return Sharded{id, level.base, whole, level.in};
}

}  // namespace shardscope::inline partitioner
