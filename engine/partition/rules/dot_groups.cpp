// SPDX-License-Identifier: Apache-2.0
// The recursive half of the product's strategy: devices are cut in groups.
#include <algorithm>
#include <numeric>

#include "engine/base/units.h"
#include "engine/partition/rules/dot_partitioner.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// The tile that a result of `base` has on a device.
int64_t cut_bytes(const Shape& base, const Tiling& tiling) {
  Shape tile = base;
  tile.dims = tile_dims(tiling, base.dims);
  return tile.bytes();
}

// As the result and the other operand need it.
Tiling expected_operand(const DotAxes& axes, const DotLevel& level, DotSide side) {
  const Sharded& v = level.operand(side);
  const Sharded& leading = level.operand(opposite(side));
  const auto which = dim_in(side), others = dim_in(opposite(side));
  std::vector<int64_t> from_out(v.base.rank(), -1), from_other(v.base.rank(), -1);
  for (const DotAxis& axis : axes.batch) {
    from_out[static_cast<size_t>(axis.*which)] = axis.out;
    from_other[static_cast<size_t>(axis.*which)] = axis.*others;
  }
  for (const DotAxis& axis : free_axes(axes, side)) from_out[static_cast<size_t>(axis.*which)] = axis.out;
  for (const DotAxis& axis : axes.contracting) from_other[static_cast<size_t>(axis.*which)] = axis.*others;
  const Tiling by_out = level.out.mapped(from_out), by_other = leading.tiling.mapped(from_other);
  if (by_out.is_replicated()) return by_other;
  if (by_other.is_replicated()) return by_out;
  return merged_tilings(by_out, by_other).value_or(by_out);
}

}  // namespace

Sharded DotPartitioner::inside(const DotLevel& level, const SpmdScope& scope, const Grouped& out,
                               const Sharded& lhs, const Sharded& rhs) {
  const Sharded target = enter({InstructionId(), level.base, level.out, level.in}, out);
  DotLevel inner{scope, lhs, rhs, target.base, target.tiling, target.in};
  inner.finish = level.finish;
  inner.sliced = level.sliced;
  const Sharded made = partition(inner);
  return {made.id, level.base, ungrouped(out), level.in};
}

DotPartitioner::Attempt DotPartitioner::group_batch(const DotLevel& level, Groups groups) {
  const auto on_lhs = dims_of(cx_.axes.batch, &DotAxis::lhs), on_rhs = dims_of(cx_.axes.batch, &DotAxis::rhs),
             on_out = dims_of(cx_.axes.batch, &DotAxis::out);
  const int64_t count = level.out.count_of(on_out);
  const int64_t by_lhs = level.lhs.tiling.count_of(on_lhs), by_rhs = level.rhs.tiling.count_of(on_rhs);
  if (count == 1 || (by_lhs != count && by_rhs != count)) return std::nullopt;
  bool alike = counts_on(level.lhs.tiling, on_lhs) == counts_on(level.rhs.tiling, on_rhs);
  if (alike && groups == Groups::as_they_lie) {
    const Grouped lhs = grouped_on(level.lhs.tiling, on_lhs), rhs = grouped_on(level.rhs.tiling, on_rhs);
    alike = same_tiles(ungrouped(aligned(rhs, lhs.groups)), level.rhs.tiling);
  }
  return alike ? group_batch_of_operands(level, groups) : group_batch_of_result(level, groups);
}

// Both operands are cut alike: the smaller is aligned to the larger.
DotPartitioner::Attempt DotPartitioner::group_batch_of_operands(const DotLevel& level, Groups) {
  const auto on_lhs = dims_of(cx_.axes.batch, &DotAxis::lhs), on_rhs = dims_of(cx_.axes.batch, &DotAxis::rhs),
             on_out = dims_of(cx_.axes.batch, &DotAxis::out);
  const char* why = "dot, batch dimensions: operands meet in the same groups";
  Grouped lhs = grouped_on(level.lhs.tiling, on_lhs), rhs = grouped_on(level.rhs.tiling, on_rhs);
  Sharded left = level.lhs, right = level.rhs;
  if (cx_.tile_bytes(left) > cx_.tile_bytes(right)) {
    rhs = aligned(std::move(rhs), lhs.groups);
    right = moved(level, DotSide::rhs, right, ungrouped(rhs), why);
  } else {
    lhs = aligned(std::move(lhs), rhs.groups);
    left = moved(level, DotSide::lhs, left, ungrouped(lhs), why);
  }
  const Tiling out = recounted(level.out, on_out, counts_on(level.lhs.tiling, on_lhs));
  if (out.devices() % out.tiles() != 0) return std::nullopt;
  const Grouped result = aligned(grouped_on(out, on_out), lhs.groups);
  return inside(level, cx_.writer.inner(level.scope, result.groups), result, enter(left, lhs),
                enter(right, rhs));
}

// Both operands are cut as the result is.
DotPartitioner::Attempt DotPartitioner::group_batch_of_result(const DotLevel& level, Groups groups) {
  const Grouped out = grouped_on(level.out, dims_of(cx_.axes.batch, &DotAxis::out));
  const auto lhs = in_batch_groups(level, DotSide::lhs, out, groups);
  if (!lhs) return std::nullopt;
  const auto rhs = in_batch_groups(level, DotSide::rhs, out, groups);
  if (!rhs) return std::nullopt;
  return inside(level, cx_.writer.inner(level.scope, out.groups), out, *lhs, *rhs);
}

// Where it is cut too often with the result's batches its replicas, else a class of its dimensions makes
// room.
std::optional<Sharded> DotPartitioner::in_batch_groups(const DotLevel& level, DotSide side,
                                                       const Grouped& out, Groups groups) {
  const auto which = dim_in(side), other = dim_in(opposite(side));
  const Sharded& v = level.operand(side);
  const auto on = dims_of(cx_.axes.batch, which), contracting = dims_of(cx_.axes.contracting, which);
  const auto free = dims_of(free_axes(cx_.axes, side), which);
  Tiling to = recounted(v.tiling, on, out.sizes);
  const bool whole = v.tiling.is_replicated();
  if (!whole) {
    // Replicas count as a dimension that keeps its size.
    const int64_t wanted = to.tiles() * v.tiling.replicas(), devices = level.devices();
    if (wanted < devices || wanted % devices != 0) return std::nullopt;
    const int64_t ratio = wanted / devices, by_contracting = v.tiling.count_of(contracting);
    const bool makes_room = ratio > 1 && v.tiling.replicas() % ratio != 0;
    if (makes_room) {
      const int64_t others =
          level.operand(opposite(side)).tiling.count_of(dims_of(cx_.axes.contracting, other));
      const bool free_goes =
          ratio == v.tiling.count_of(free) && (ratio != by_contracting || by_contracting == others);
      if (!free_goes && ratio != by_contracting) return std::nullopt;
      for (const int64_t d : free_goes ? free : contracting) to.counts[static_cast<size_t>(d)] = 1;
    }
  }
  const Grouped grouped = aligned(grouped_on(to, on), out.groups);
  const Tiling target = ungrouped(grouped);
  if (!whole && groups == Groups::as_they_lie && !same_tiles(v.tiling, target)) return std::nullopt;
  const char* why = "dot, batch dimensions: operands meet in the same groups";
  return enter(moved(level, side, v, target, why), grouped);
}

DotPartitioner::Attempt DotPartitioner::group_free(const DotLevel& level, Groups groups) {
  const auto count = [&](DotSide side) {
    return level.operand(side).tiling.count_of(dims_of(free_axes(cx_.axes, side), dim_in(side)));
  };
  const auto out_count = [&](DotSide side) {
    return level.out.count_of(dims_of(free_axes(cx_.axes, side), &DotAxis::out));
  };
  const auto matches = [&](DotSide side) { return count(side) > 1 && count(side) == out_count(side); };
  const bool by_lhs = matches(DotSide::lhs), by_rhs = matches(DotSide::rhs);
  if (by_lhs || by_rhs) {
    // The one that leaves less of the other to be gathered; a tie goes to the right operand, as in XLA.
    const bool lhs_leads = by_lhs && (!by_rhs || count(DotSide::lhs) * cx_.tile_bytes(level.rhs) <
                                                     count(DotSide::rhs) * cx_.tile_bytes(level.lhs));
    const DotSide leader = lhs_leads ? DotSide::lhs : DotSide::rhs;
    return group_free_by(level, leader, free_axes(cx_.axes, leader), groups);
  }
  for (const DotSide side : {DotSide::lhs, DotSide::rhs}) {
    if (count(side) == 1 || out_count(side) == 1) continue;
    std::vector<DotAxis> some;
    for (const DotAxis& axis : free_axes(cx_.axes, side)) {
      const int64_t own = level.operand(side).tiling.counts[static_cast<size_t>(axis.*dim_in(side))];
      if (own > 1 && own == level.out.counts[static_cast<size_t>(axis.out)]) some.push_back(axis);
    }
    return some.empty() ? std::nullopt : group_free_by(level, side, some, groups);
  }
  return std::nullopt;
}

DotPartitioner::Attempt DotPartitioner::group_free_by(const DotLevel& level, DotSide leader,
                                                      const std::vector<DotAxis>& axes, Groups groups) {
  const auto on = dims_of(axes, dim_in(leader)), on_out = dims_of(axes, &DotAxis::out);
  const Grouped out = grouped_on(level.out, on_out);
  const Sharded& v = level.operand(leader);
  const Grouped leading =
      aligned(grouped_on(recounted(v.tiling, on, counts_on(level.out, on_out)), on), out.groups);
  const Tiling target = ungrouped(leading);
  if (groups == Groups::as_they_lie && !same_tiles(v.tiling, target)) return std::nullopt;
  const SpmdScope scope = cx_.writer.inner(level.scope, out.groups);
  const Sharded other = other_in_groups(level, leader, out, axes);
  const Sharded lead = enter(
      moved(level, leader, v, target, "dot, non-contracting dimensions: its groups are those of the result"),
      leading);
  const bool left = leader == DotSide::lhs;
  return inside(level, scope, out, left ? lead : other, left ? other : lead);
}

std::optional<Grouped> DotPartitioner::groups_of_other(const DotLevel& level, DotSide leader,
                                                       const Grouped& out, const std::vector<DotAxis>&,
                                                       const Sharded& other) {
  const Tiling& t = other.tiling;
  const DotSide side = opposite(leader);
  const auto rank = static_cast<int64_t>(t.rank());
  const int64_t count = out.groups.count();
  if (t.is_replicated()) return std::nullopt;
  // Not in 2022: a notebook's compiled product of P('b','a') and P('b',None) gathers there.
  if (is_partly_replicated(t) && t.replicas() % count == 0 && cx_.writer.dialect() != SpmdDialect::tpu2022) {
    // Copies may be given to the groups; or the places of a dimension that as many devices share.
    for (int64_t d = rank; d >= 0; --d) {
      if (d < rank && t.counts[static_cast<size_t>(d)] % count != 0) continue;
      const Tiling match = d == rank ? t : with_replicas_at(t, static_cast<size_t>(d));
      if (match.replicas() % count != 0) continue;
      if (const auto inner = within_groups(match, {}, out.groups))
        return Grouped{{rank}, {count}, out.groups, *inner};
    }
    return aligned(grouped_on(t, {rank}, t.replicas() / count), out.groups, GroupOrder::any);
  }
  const auto contracting = dims_of(cx_.axes.contracting, dim_in(side));
  const auto free = dims_of(free_axes(cx_.axes, side), dim_in(side));
  const int64_t by_contracting = t.count_of(contracting), by_free = t.count_of(free);
  const int64_t of_leader =
      level.operand(leader).tiling.count_of(dims_of(cx_.axes.contracting, dim_in(leader)));
  const int64_t of_out = level.out.count_of(dims_of(free_axes(cx_.axes, side), &DotAxis::out));
  const bool contracting_goes = by_contracting == count && by_free == of_out;
  const bool free_goes = by_free == count && of_leader == by_contracting;
  std::optional<std::vector<int64_t>> on = matching_dims(t, out.groups);
  if (!on && contracting_goes && (!free_goes || cx_.tile_bytes(other) <= cut_bytes(level.base, level.out)))
    on = contracting;
  if (!on && free_goes) on = free;
  if (!on) return std::nullopt;
  if (*on == std::vector<int64_t>{rank})
    return aligned(grouped_on(t, {rank}, t.replicas() / count), out.groups, GroupOrder::any);
  return aligned(grouped_on(t, *on), out.groups, GroupOrder::any);
}

Sharded DotPartitioner::other_in_groups(const DotLevel& level, DotSide leader, const Grouped& out,
                                        const std::vector<DotAxis>& axes) {
  const DotSide side = opposite(leader);
  Sharded other = level.operand(side);
  const std::string why = std::string("dot, non-contracting dimensions: ") + name(leader) +
                          " leads, so each of its groups needs all of " + name(side);
  std::optional<Grouped> grouped = groups_of_other(level, leader, out, axes, other);
  if (!grouped && !other.tiling.is_replicated()) {
    const Sharded expected{other.id, other.base, expected_operand(cx_.axes, level, side), other.in};
    if (!same_tiles(expected.tiling, other.tiling)) {
      const Sharded there = moved(level, side, other, expected.tiling, why);
      grouped = groups_of_other(level, leader, out, axes, there);
      if (grouped) other = there;
    }
  }
  const auto rank = static_cast<int64_t>(other.base.rank());
  if (!grouped) {
    const Sharded whole =
        moved(level, side, other, Tiling::replicated(other.base.rank(), level.devices()), why);
    return enter(
        whole,
        {{rank}, {out.groups.count()}, out.groups, Tiling::replicated(other.base.rank(), out.groups.size())});
  }
  const Tiling target = ungrouped(*grouped);
  std::vector<int64_t> whole = grouped->dims;
  std::erase(whole, rank);
  if (whole.empty()) return enter(moved(level, side, other, target, why), *grouped);
  const Sharded there = is_partly_replicated(other.tiling) ? other : moved(level, side, other, target, why);
  const Sharded shared = moved(level, side, there, there.tiling.merged(whole), why);
  // Each group has all of it along those dimensions.
  return enter(shared, {{rank}, {out.groups.count()}, out.groups, grouped->inner});
}

// Both operands are whole and the result is partly replicated: each copy of the result by itself.
DotPartitioner::Attempt DotPartitioner::drop_replicas(const DotLevel& level) {
  if (!level.lhs.tiling.is_replicated() || !level.rhs.tiling.is_replicated() ||
      !is_partly_replicated(level.out))
    return std::nullopt;
  const auto whole = [&](const Sharded& v, const DeviceGroups& groups) {
    return enter(v, {{static_cast<int64_t>(v.base.rank())},
                     {groups.count()},
                     groups,
                     Tiling::replicated(v.base.rank(), groups.size())});
  };
  const Grouped out = grouped_on(level.out, {static_cast<int64_t>(level.out.rank())});
  return inside(level, cx_.writer.inner(level.scope, out.groups), out, whole(level.lhs, out.groups),
                whole(level.rhs, out.groups));
}

}  // namespace shardscope::inline partitioner
