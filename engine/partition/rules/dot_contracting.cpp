// SPDX-License-Identifier: Apache-2.0
// The product's strategy along dimensions that are summed over: groups of devices add up what each has.
#include <algorithm>
#include <memory>

#include "engine/base/units.h"
#include "engine/partition/rules/dot_partitioner.h"
#include "engine/sharding/moves.h"

namespace shardscope::inline partitioner {
namespace {

// `coarse` cuts no dimension further than `fine` does, and every device's tile of `fine` lies in its tile of
// `coarse`.
bool lies_within(const Tiling& fine, const Tiling& coarse, const std::vector<int64_t>& base) {
  return coarse.is_replicated() || (refines(fine, coarse) && slices_evenly(coarse, fine, base) &&
                                    same_tiles(nested_above(coarse, fine), coarse));
}

// A result that is cut within the tiles that one operand's own dimensions give is cut that way first.
Tiling coarser_result(const DotAxes& axes, const DotLevel& level, const Grouped& lhs, const Grouped& rhs) {
  const Tiling& out = level.out;
  const bool left = lhs.inner.is_replicated(), right = rhs.inner.is_replicated();
  if (out.is_replicated() || left == right ||
      (is_partly_replicated(out) && out.replicas() % lhs.groups.count() == 0))
    return out;
  const DotSide side = left ? DotSide::rhs : DotSide::lhs;
  std::vector<int64_t> from(out.rank(), -1);
  for (const auto* of : {&axes.batch, &free_axes(axes, side)})
    for (const DotAxis& axis : *of) from[static_cast<size_t>(axis.out)] = axis.*dim_in(side);
  const Tiling coarse = ungrouped(left ? rhs : lhs).mapped(from);
  return lies_within(out, coarse, level.base.dims) ? coarse : out;
}

// How the result of sums over groups lies: as `outer`, in each group as `inner` says; `slices`: dimensions of
// which each group keeps a part; `over_replicas`: parts of it stand in copies of the result too.
struct SummedResult {
  Tiling outer, inner;
  std::vector<int64_t> slices;
  bool over_replicas = false;
};

SummedResult summed_result(const DotContext& cx, const Tiling& out, const DeviceGroups& groups) {
  const int64_t devices = out.devices(), count = groups.count();
  const auto rank = static_cast<int64_t>(out.rank());
  SummedResult made{
      Tiling::replicated(out.rank(), devices), Tiling::replicated(out.rank(), groups.size()), {}, false};
  if (is_partly_replicated(out) && out.replicas() % count == 0) {
    const Grouped grouped = aligned(grouped_on(out, {rank}, out.replicas() / count), groups, GroupOrder::any);
    made.outer = ungrouped(grouped);
    made.inner = grouped.inner;
  } else if (const auto found = matching_dims(out, groups)) {
    made.slices = *found;
    // In the groups' order of devices, not in the result's.
    made.inner = aligned(grouped_on(out, *found), groups, GroupOrder::any).inner;
    made.outer = out;
  } else if (!out.is_replicated()) {
    for (const auto* axes : {&cx.axes.lhs_free, &cx.axes.rhs_free, &cx.axes.batch}) {
      if (out.count_of(dims_of(*axes, &DotAxis::out)) != count) continue;
      made.slices = dims_of(*axes, &DotAxis::out);
      break;
    }
    if (made.slices.empty()) return made;
    const Grouped grouped = aligned(grouped_on(out, made.slices), groups);
    made.inner = grouped.inner;
    made.outer = ungrouped(grouped);
  }
  made.over_replicas = std::ranges::count(made.slices, rank) > 0;
  std::erase(made.slices, rank);
  return made;
}

// What groups have of the product is added up; `lhs` is cut by them along `on_lhs`.
InstructionId summed(const DotContext& cx, const DotLevel& level, const Sharded& lhs,
                     const std::vector<int64_t>& on_lhs, const SummedResult& result, InstructionId id) {
  if (result.slices.empty())
    return cx.resharder.combined(level.scope, {id, level.base, lhs.tiling}, on_lhs, Opcode::add);
  id = cx.resharder.combined(level.scope, {id, level.base, result.outer}, result.slices, Opcode::add);
  const Shape whole = cx.writer.shape(id);
  std::vector<int64_t> others;
  for (int64_t d = 0; d < static_cast<int64_t>(result.outer.rank()); ++d)
    if (std::ranges::count(result.slices, d) == 0) others.push_back(d);
  const Tiling all = Tiling::replicated(whole.rank(), level.devices());
  id = cx.resharder.to(level.scope, {id, whole, all}, result.outer.merged(others)).id;
  if (!result.over_replicas) return id;
  return cx.writer.all_reduce(id, level.scope, replica_groups_of(result.outer),
                              cx.writer.adding_up(whole.type));
}

}  // namespace

DotPartitioner::Attempt DotPartitioner::group_contracting(const DotLevel& level, Groups groups) {
  const auto& all = cx_.axes.contracting;
  const int64_t by_lhs = level.lhs.tiling.count_of(dims_of(all, &DotAxis::lhs));
  const int64_t by_rhs = level.rhs.tiling.count_of(dims_of(all, &DotAxis::rhs));
  if (by_lhs == by_rhs && by_lhs > 1)
    if (Attempt made = group_contracting_by(level, all, groups)) return made;
  if (by_lhs == 1 || by_rhs == 1) return std::nullopt;
  std::vector<DotAxis> some;
  for (const DotAxis& axis : all) {
    const int64_t own = level.lhs.tiling.counts[static_cast<size_t>(axis.lhs)];
    if (own > 1 && own == level.rhs.tiling.counts[static_cast<size_t>(axis.rhs)]) some.push_back(axis);
  }
  return some.empty() ? std::nullopt : group_contracting_by(level, some, groups);
}

DotPartitioner::Attempt DotPartitioner::group_contracting_by(const DotLevel& level,
                                                             const std::vector<DotAxis>& axes,
                                                             Groups groups) {
  const auto on_lhs = dims_of(axes, &DotAxis::lhs), on_rhs = dims_of(axes, &DotAxis::rhs);
  Sharded lhs = level.lhs, rhs = level.rhs;
  const bool lhs_leads = cx_.tile_bytes(lhs) > cx_.tile_bytes(rhs);
  Tiling left = lhs.tiling, right = rhs.tiling;
  if (lhs_leads)
    right = recounted(right, on_rhs, counts_on(left, on_lhs));
  else
    left = recounted(left, on_lhs, counts_on(right, on_rhs));
  Grouped in_lhs = grouped_on(left, on_lhs), in_rhs = grouped_on(right, on_rhs);
  const char* why = "dot, contracting dimensions: the smaller operand is aligned to the larger";
  if (lhs_leads) {
    in_rhs = aligned(std::move(in_rhs), in_lhs.groups);
    const Tiling target = ungrouped(in_rhs);
    if (groups == Groups::as_they_lie && !same_tiles(target, rhs.tiling)) return std::nullopt;
    rhs = moved(level, DotSide::rhs, rhs, target, why);
  } else {
    in_lhs = aligned(std::move(in_lhs), in_rhs.groups);
    const Tiling target = ungrouped(in_lhs);
    if (groups == Groups::as_they_lie && !same_tiles(target, lhs.tiling)) return std::nullopt;
    lhs = moved(level, DotSide::lhs, lhs, target, why);
  }
  lhs = cx_.resharder.masked(level.scope, lhs, on_lhs, cx_.writer.zero(lhs.base.type));
  rhs = cx_.resharder.masked(level.scope, rhs, on_rhs, cx_.writer.zero(rhs.base.type));
  const SummedResult result =
      summed_result(cx_, coarser_result(cx_.axes, level, in_lhs, in_rhs), in_lhs.groups);

  Shape base = level.base;
  for (const int64_t d : result.slices) {
    const auto at = static_cast<size_t>(d);
    base.dims[at] = ceil_div(base.dims[at], result.outer.counts[at]);
  }
  const SpmdScope scope = cx_.writer.inner(level.scope, in_lhs.groups);
  const auto in = std::make_shared<const InGroups>(
      InGroups{result.slices, counts_on(result.outer, result.slices), in_lhs.groups, level.in});
  DotLevel inner{scope, enter(lhs, in_lhs), enter(rhs, in_rhs), base, result.inner, in};
  inner.sliced = level.sliced;
  inner.sliced.insert(inner.sliced.end(), result.slices.begin(), result.slices.end());
  inner.finish = [&, outer = level.finish](InstructionId id) {
    Resharder::Because because(cx_.resharder, "dot, contracting dimensions: partial products are added up",
                               "result");
    const int64_t first = cx_.writer.count();
    id = summed(cx_, level, lhs, on_lhs, result, id);
    cx_.resharder.note_sum(first, result.outer.merged(result.slices), level.in.get());
    return outer ? outer(id) : id;
  };
  const Sharded made = partition(inner);
  return Sharded{made.id, level.base, result.outer, level.in};
}

}  // namespace shardscope::inline partitioner
