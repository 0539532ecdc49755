// SPDX-License-Identifier: Apache-2.0
// The recursive half of the product's strategy: devices are cut in groups.
#include <algorithm>
#include <numeric>

#include "engine/partition/rules/dot_partitioner.h"
#include "engine/sharding/moves.h"

namespace shardscope {
namespace {

// The dimensions in ascending order, as groups are numbered.
std::vector<int64_t> sorted(std::vector<int64_t> dims) {
  std::ranges::sort(dims);
  return dims;
}

// The group of each device.
std::vector<int64_t> group_of(const DeviceGroups& groups) {
  std::vector<int64_t> out(static_cast<size_t>(groups.count() * groups.size()));
  for (size_t g = 0; g < groups.groups.size(); ++g)
    for (const int64_t device : groups.groups[g]) out[static_cast<size_t>(device)] = static_cast<int64_t>(g);
  return out;
}

// Each device's place along `on` (row-major) is the number of its group.
bool stands_by_group(const Tiling& tiling, const std::vector<int64_t>& on, const DeviceGroups& groups) {
  const auto place = tiling.coordinates();
  const auto group = group_of(groups);
  for (size_t device = 0; device < place.size(); ++device) {
    int64_t flat = 0;
    for (const int64_t d : on)
      flat = flat * tiling.counts[static_cast<size_t>(d)] + place[device][static_cast<size_t>(d)];
    if (flat != group[device]) return false;
  }
  return true;
}

// `tiling` with counts `on_counts` along `on`, where the devices of group g stand at place g; inside a group
// the other dimensions are cut as before when the group has devices for it, else not at all. `tiling` itself
// when it is like that.
Tiling by_group(const Tiling& tiling, const std::vector<int64_t>& on, const std::vector<int64_t>& on_counts,
                const DeviceGroups& groups) {
  Tiling inner = Tiling::replicated(tiling.rank(), groups.size());
  std::vector<int64_t> counts = tiling.counts;
  for (size_t i = 0; i < on.size(); ++i) counts[static_cast<size_t>(on[i])] = 1;
  if (groups.size() % std::accumulate(counts.begin(), counts.end(), int64_t{1}, std::multiplies<>()) != 0)
    counts.assign(counts.size(), 1);
  inner.counts = counts;
  for (size_t i = 0; i < on.size(); ++i) counts[static_cast<size_t>(on[i])] = on_counts[i];
  const bool stands = on.empty() || stands_by_group(tiling, on, groups);
  if (counts == tiling.counts && stands && within_groups(tiling, on, groups)) return tiling;
  return across_groups(inner, on, counts, groups);
}

std::vector<int64_t> counts_on(const Tiling& tiling, const std::vector<int64_t>& on) {
  std::vector<int64_t> out;
  for (const int64_t d : on) out.push_back(tiling.counts[static_cast<size_t>(d)]);
  return out;
}

// Inside the groups that separate the value's dimensions `on`.
Sharded enter(const Sharded& v, const std::vector<int64_t>& on, const DeviceGroups& groups) {
  const auto inner = within_groups(v.tiling, on, groups);
  CHECK(inner.has_value());
  Shape base = v.base;
  const auto tile = tile_dims(v.tiling, v.base.dims);
  for (const int64_t d : on) base.dims[static_cast<size_t>(d)] = tile[static_cast<size_t>(d)];
  return {v.id, base, *inner,
          std::make_shared<const InGroups>(InGroups{on, counts_on(v.tiling, on), groups, v.in})};
}

}  // namespace

Sharded DotPartitioner::align(const DotLevel& level, DotSide side, const std::vector<int64_t>& on,
                              const std::vector<int64_t>& on_counts, const DeviceGroups& groups,
                              const std::string& why) {
  const Sharded& v = level.operand(side);
  Resharder::Because because(cx_.resharder, why, name(side));
  return cx_.resharder.to(level.scope, v, by_group(v.tiling, on, on_counts, groups));
}

DotPartitioner::Attempt DotPartitioner::inside_groups(const DotLevel& level, const DeviceGroups& groups,
                                                      const SpmdScope& scope, const Sharded& lhs,
                                                      const Sharded& rhs,
                                                      const std::vector<int64_t>& on_out) {
  const Tiling out = by_group(level.out, on_out, counts_on(level.out, on_out), groups);
  const Sharded target = enter({InstructionId(), level.base, out, level.in}, on_out, groups);
  const DotLevel inside{scope, lhs, rhs, target.base, target.tiling, target.in};
  Attempt made = recurse(inside);
  if (!made) return std::nullopt;
  Resharder::Because because(cx_.resharder, "dot: a group's product is moved to its part of the result",
                             "result");
  const Sharded fitted = cx_.resharder.to(scope, *made, target.tiling);
  return Sharded{fitted.id, level.base, out, level.in};
}

DotPartitioner::Attempt DotPartitioner::group_batch(const DotLevel& level) {
  const auto on_lhs = dims_of(cx_.axes.batch, &DotAxis::lhs), on_rhs = dims_of(cx_.axes.batch, &DotAxis::rhs),
             on_out = dims_of(cx_.axes.batch, &DotAxis::out);
  const auto wanted = counts_on(level.out, on_out);
  const bool by_lhs = counts_on(level.lhs.tiling, on_lhs) == wanted;
  const bool by_rhs = counts_on(level.rhs.tiling, on_rhs) == wanted;
  const int64_t count = level.out.count_of(on_out);
  if (count == 1 || count == level.devices() || (!by_lhs && !by_rhs)) return std::nullopt;
  const int64_t lhs_tile = level.lhs.base.bytes() / level.lhs.tiling.tiles();
  const int64_t rhs_tile = level.rhs.base.bytes() / level.rhs.tiling.tiles();
  const bool lhs_leads = by_lhs && (!by_rhs || lhs_tile >= rhs_tile);
  const auto& on_leader = lhs_leads ? on_lhs : on_rhs;
  // Groups are numbered along the leader's dimensions in their own order.
  if (!std::ranges::is_sorted(on_leader)) return std::nullopt;
  const DeviceGroups groups = group_by((lhs_leads ? level.lhs : level.rhs).tiling, on_leader);
  const char* why = "dot, batch dimensions: operands meet in the same groups";
  const Sharded lhs = lhs_leads ? level.lhs : align(level, DotSide::lhs, on_lhs, wanted, groups, why);
  const Sharded rhs = lhs_leads ? align(level, DotSide::rhs, on_rhs, wanted, groups, why) : level.rhs;
  const SpmdScope scope = cx_.writer.inner(level.scope, groups);
  return inside_groups(level, groups, scope, enter(lhs, on_lhs, groups), enter(rhs, on_rhs, groups), on_out);
}

DotPartitioner::Attempt DotPartitioner::group_free(const DotLevel& level) {
  const auto candidate = [&](DotSide side) -> int64_t {
    const auto& axes = free_axes(cx_.axes, side);
    const Sharded& v = level.operand(side);
    const auto on = dims_of(axes, dim_in(side)), on_out = dims_of(axes, &DotAxis::out);
    const int64_t count = v.tiling.count_of(on);
    if (count == 1 || count == level.devices()) return 0;
    for (size_t i = 0; i < on.size(); ++i)
      if (v.tiling.counts[static_cast<size_t>(on[i])] != level.out.counts[static_cast<size_t>(on_out[i])])
        return 0;
    return count;
  };
  const int64_t by_lhs = candidate(DotSide::lhs), by_rhs = candidate(DotSide::rhs);
  if (by_lhs == 0 && by_rhs == 0) return std::nullopt;
  if (by_lhs == 0) return group_free_by(level, DotSide::rhs);
  if (by_rhs == 0) return group_free_by(level, DotSide::lhs);
  // A tie goes to the right operand, as in XLA.
  const int64_t lhs_tile = level.lhs.base.bytes() / level.lhs.tiling.tiles();
  const int64_t rhs_tile = level.rhs.base.bytes() / level.rhs.tiling.tiles();
  return group_free_by(level, by_lhs * rhs_tile < by_rhs * lhs_tile ? DotSide::lhs : DotSide::rhs);
}

DotPartitioner::Attempt DotPartitioner::group_free_by(const DotLevel& level, DotSide leader) {
  const bool left = leader == DotSide::lhs;
  const auto& axes = free_axes(cx_.axes, leader);
  const auto on = sorted(dims_of(axes, dim_in(leader))), on_out = sorted(dims_of(axes, &DotAxis::out));
  const Sharded& leading = level.operand(leader);
  const DeviceGroups groups = group_by(leading.tiling, on);
  if (!within_groups(leading.tiling, on, groups)) return std::nullopt;
  const SpmdScope scope = cx_.writer.inner(level.scope, groups);
  const Sharded other = share(level, opposite(leader), groups);
  const Sharded in_lead = enter(leading, on, groups), in_other = enter(other, {}, groups);
  return inside_groups(level, groups, scope, left ? in_lead : in_other, left ? in_other : in_lead, on_out);
}

Sharded DotPartitioner::share(const DotLevel& level, DotSide side, const DeviceGroups& groups) {
  const Sharded& v = level.operand(side);
  if (within_groups(v.tiling, {}, groups)) return v;
  const auto which = dim_in(side);
  const auto place = v.tiling.coordinates();
  const auto& first = groups.groups.front();
  std::vector<int64_t> matching;
  for (size_t d = 0; d < v.tiling.rank() && first.size() > 1; ++d) {
    const bool shared = place[static_cast<size_t>(first[0])][d] == place[static_cast<size_t>(first[1])][d];
    if (shared && v.tiling.counts[d] > 1) matching.push_back(static_cast<int64_t>(d));
  }
  const auto free = dims_of(free_axes(cx_.axes, side), which);
  std::vector<int64_t> all(v.tiling.rank());
  std::iota(all.begin(), all.end(), 0);
  for (const auto& merge : {matching, dims_of(cx_.axes.contracting, which), free, all}) {
    if (merge.empty() || (merge != all && v.tiling.count_of(merge) != groups.count())) continue;
    if (groups.size() % v.tiling.merged(merge).tiles() != 0) continue;
    const Tiling to = by_group(v.tiling.merged(merge), {}, {}, groups);
    Resharder::Because because(cx_.resharder,
                               std::string("dot, non-contracting dimensions: ") + name(opposite(side)) +
                                   " leads, so each of its groups needs all of " + name(side),
                               name(side));
    return cx_.resharder.to(level.scope, v, to);
  }
  CHECK(false, "a replicated operand fits every group");
  return v;
}

DotPartitioner::Attempt DotPartitioner::group_contracting(const DotLevel& level) {
  const auto on_lhs = dims_of(cx_.axes.contracting, &DotAxis::lhs),
             on_rhs = dims_of(cx_.axes.contracting, &DotAxis::rhs);
  const int64_t count = level.lhs.tiling.count_of(on_lhs);
  if (count == 1 || count == level.devices()) return std::nullopt;
  for (size_t i = 0; i < on_lhs.size(); ++i)
    if (level.lhs.tiling.counts[static_cast<size_t>(on_lhs[i])] !=
        level.rhs.tiling.counts[static_cast<size_t>(on_rhs[i])])
      return std::nullopt;
  const bool lhs_leads = level.lhs.base.bytes() > level.rhs.base.bytes();
  const auto& on = lhs_leads ? on_lhs : on_rhs;
  const auto& on_other = lhs_leads ? on_rhs : on_lhs;
  if (!std::ranges::is_sorted(on)) return std::nullopt;
  const Sharded& leading = lhs_leads ? level.lhs : level.rhs;
  const DeviceGroups groups = group_by(leading.tiling, on);
  const Sharded other =
      align(level, lhs_leads ? DotSide::rhs : DotSide::lhs, on_other, counts_on(leading.tiling, on), groups,
            "dot, contracting dimensions: the smaller operand is aligned to the larger");
  Sharded lhs = lhs_leads ? leading : other, rhs = lhs_leads ? other : leading;
  lhs = cx_.resharder.masked(level.scope, lhs, on_lhs, cx_.writer.zero(lhs.base.type));
  rhs = cx_.resharder.masked(level.scope, rhs, on_rhs, cx_.writer.zero(rhs.base.type));
  // The sums of all groups are equal: a result that is cut as far as every group can hold it whole.
  Tiling inner = Tiling::replicated(level.base.rank(), groups.size());
  if (const auto fits = within_groups(level.out, {}, groups)) {
    inner = *fits;
  } else {
    for (size_t d = 0; d < level.base.rank(); ++d) {
      const int64_t share = std::gcd(level.out.counts[d], groups.size() / inner.tiles());
      if (share == level.out.counts[d]) inner.counts[d] = share;
    }
  }
  const SpmdScope scope = cx_.writer.inner(level.scope, groups);
  const auto in = std::make_shared<const InGroups>(InGroups{{}, {}, groups, level.in});
  const DotLevel inside{scope, enter(lhs, on_lhs, groups), enter(rhs, on_rhs, groups), level.base, inner, in};
  Attempt made = recurse(inside);
  if (!made) return std::nullopt;
  Sharded part;
  {
    Resharder::Because because(cx_.resharder, "dot: a group's product is moved to its part of the result",
                               "result");
    part = cx_.resharder.to(scope, *made, inner);
  }
  Resharder::Because because(cx_.resharder, "dot, contracting dimensions: partial products are added up",
                             "result");
  const int64_t first = cx_.writer.count();
  const InstructionId id =
      cx_.resharder.combined(level.scope, {part.id, level.base, leading.tiling}, on, Opcode::add);
  const Tiling summed = across_groups(inner, {}, inner.counts, groups);
  cx_.resharder.note_sum(first, summed, level.in.get());
  return Sharded{id, level.base, summed, level.in};
}

// Both operands are whole and the result is partly replicated: each copy of the result by itself.
DotPartitioner::Attempt DotPartitioner::drop_replicas(const DotLevel& level) {
  const Tiling& out = level.out;
  if (!level.lhs.tiling.is_replicated() || !level.rhs.tiling.is_replicated() || out.replicas() == 1 ||
      out.is_replicated())
    return std::nullopt;
  DeviceGroups groups;
  groups.groups.resize(static_cast<size_t>(out.replicas()));
  for (size_t place = 0; place < out.order.size(); ++place)
    groups.groups[place % static_cast<size_t>(out.replicas())].push_back(out.order[place]);
  const SpmdScope scope = cx_.writer.inner(level.scope, groups);
  return inside_groups(level, groups, scope, enter(level.lhs, {}, groups), enter(level.rhs, {}, groups), {});
}

}  // namespace shardscope
