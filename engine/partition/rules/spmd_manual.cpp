// SPDX-License-Identifier: Apache-2.0
// Manual regions: a device, or a group of devices, does by itself what the module says of one.
#include <algorithm>

#include "engine/partition/rules/spmd_visitor.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope {

Result<void> SpmdVisitor::open_regions(const Computation& computation) {
  TRY(regions_, ManualRegions::of_computation(computation, around_));
  scopes_.clear();
  for (const DeviceGroups& groups : regions_.groups)
    scopes_.push_back(groups.count() == 1 ? writer_.whole() : writer_.inner(writer_.whole(), groups));
  region_ = 0;
  return {};
}

Result<void> SpmdVisitor::bring_in(const Visit& v) {
  for (const InstructionId operand : v.i.operands) {
    const size_t from = regions_.of[static_cast<size_t>(operand.value)];
    if (values_.contains({operand.value, region_})) continue;
    if (enters_region(v.i) || leaves_region(v.i)) continue;
    const std::string& name = here_->at(operand).name;
    if (from != 0)
      return invalid(name + " of a manual region is read outside of it", "instruction " + v.i.name,
                     "leave the region by custom-call SPMDShardToFullShape");
    Resharder::Because because(resharder_, "manual region: a value from outside is needed whole", name);
    ShardedLeaves inside;
    for (const Sharded& leaf : values_.at({operand.value, from})) {
      const size_t rank = leaf.base.rank();
      const Sharded whole =
          resharder_.to(scopes_[from], leaf, Tiling::replicated(rank, scopes_[from].size()));
      inside.push_back({whole.id, leaf.base, Tiling::replicated(rank, scope().size())});
    }
    values_[{operand.value, region_}] = std::move(inside);
  }
  return {};
}

Result<ShardedLeaves> SpmdVisitor::enter_region(const Visit& v) {
  const int32_t operand = v.i.operands[0].value;
  const size_t from = regions_.of[static_cast<size_t>(operand)];
  const Sharded& value = values_.at({operand, from}).front();
  if (from == region_) return ShardedLeaves{{value.id, v.i.shape, value.tiling}};
  if (from != 0) return invalid("cannot go from one manual region into another", "instruction " + v.i.name);
  const DeviceGroups& groups = regions_.groups[region_];
  const auto inner = inner_of(value.tiling, value.base.dims, v.i.shape.dims, groups);
  if (!inner)
    return invalid("sharding " + value.tiling.sharding().text() + " does not give every device " +
                       v.i.shape.text() + " of " + value.base.text(),
                   "instruction " + v.i.name);
  return ShardedLeaves{{value.id, v.i.shape, *inner}};
}

Result<ShardedLeaves> SpmdVisitor::leave_region(const Visit& v) {
  const int32_t operand = v.i.operands[0].value;
  const size_t from = regions_.of[static_cast<size_t>(operand)];
  const Sharded& value = values_.at({operand, from}).front();
  const auto inner = inner_of(v.out(), v.i.shape.dims, value.base.dims, regions_.groups[from]);
  if (!inner)
    return invalid("every device's " + value.base.text() + " do not make up " + v.i.shape.text() +
                       " with sharding " + v.out().sharding().text(),
                   "instruction " + v.i.name);
  Resharder::Because because(resharder_, "manual region: its result is wanted in another sharding",
                             here_->at(v.i.operands[0]).name);
  const Sharded moved = resharder_.to(scopes_[from], value, *inner);
  return ShardedLeaves{{moved.id, v.i.shape, v.out()}};
}

// Devices of a replica group hold the same tile of their own arrays when they stand at the same place in
// their groups; else each needs its array whole.
Result<ShardedLeaves> SpmdVisitor::own_collective(const Visit& v) {
  const DeviceGroups& groups = regions_.groups[region_];
  std::vector<int64_t> place(static_cast<size_t>(groups.count() * groups.size()));
  for (const auto& group : groups.groups)
    for (size_t p = 0; p < group.size(); ++p) place[static_cast<size_t>(group[p])] = static_cast<int64_t>(p);
  const auto devices = static_cast<int64_t>(place.size());
  bool alike = v.i.operands.size() == 1 && !v.i.shape.is_tuple, known = true;
  const auto meet = [&](int64_t a, int64_t b) {
    known = known && a >= 0 && b >= 0 && a < devices && b < devices;
    alike = alike && known && place[static_cast<size_t>(a)] == place[static_cast<size_t>(b)];
  };
  const TileAssignment& members = v.i.replica_groups.tiles;
  const auto size = members.dims.size() == 2 ? static_cast<size_t>(members.dims[1]) : size_t{1};
  if (v.i.permutation)
    for (const SourceTarget& pair : v.i.permutation->pairs()) meet(pair.source.value, pair.target.value);
  else
    alike = alike && !members.devices.empty();
  for (size_t n = 0; n < members.devices.size(); ++n) meet(members.devices[n], members.devices[n - n % size]);
  if (!known)
    return invalid("a collective of the module names other devices than 0 to " + std::to_string(devices - 1),
                   "instruction " + v.i.name);
  std::vector<InstructionId> operands;
  Tiling at = operand(v, 0).tiling.merged(v.i.dimensions);
  if (!alike) at = Tiling::replicated(at.rank(), scope().size());
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    operands.push_back(alike ? operand_as(v, k, at).id : whole(v, k).id);
  Instruction made = v.i;
  if (made.channel_id) made.channel_id = writer_.next_channel();
  for (CalledComputation& c : made.called) {
    TRY(c.computation, called(source_.computation(c.computation), {}, {}));
  }
  Shape shape = v.i.shape;
  if (alike) shape.dims = tile_dims(at, shape.dims);
  Resharder::Because because(resharder_, "manual region: the module says so itself",
                             here_->at(v.i.operands[0]).name);
  const int64_t first = writer_.count();
  const InstructionId id = like(made, shape, operands);
  resharder_.note(first, "{manual}", "{manual}");
  std::vector<Tiling> tilings;
  for (const Shape& leaf : leaves_of(v.i.shape))
    tilings.push_back(alike ? at : Tiling::replicated(leaf.rank(), scope().size()));
  return leaves_from(id, v.i.shape, tilings);
}

}  // namespace shardscope
