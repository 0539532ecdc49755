// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/manual.h"

#include <algorithm>

#include "engine/partition/rules/computation.h"
#include "engine/partition/rules/partial_sums.h"
#include "engine/partition/rules/rules.h"
#include "engine/partition/types/spmd_prepare.h"

namespace shardscope::inline partitioner {
namespace {

size_t region_of(const Visit& v, InstructionId id) {
  return v.places.regions.of[static_cast<size_t>(id.value)];
}

// The operand where it is itself, which is another region than that of the instruction.
const Sharded& across(const Visit& v, size_t region) {
  return v.places.values.at({v.i.operands[0].value, region}).front();
}

// Whether a collective works on tiles that are alike.
struct Meeting {
  bool known = true;  // it names devices that there are
  bool alike = true;  // those of one replica group hold the same tile of their own arrays
};

// Devices hold the same tile when they stand at the same place in the groups of their region.
Meeting meeting_of(const Instruction& i, const DeviceGroups& groups) {
  std::vector<int64_t> place(static_cast<size_t>(groups.count() * groups.size()));
  for (const auto& group : groups.groups)
    for (size_t p = 0; p < group.size(); ++p) place[static_cast<size_t>(group[p])] = static_cast<int64_t>(p);
  const auto devices = static_cast<int64_t>(place.size());
  Meeting out;
  const auto meet = [&](int64_t a, int64_t b) {
    out.known = out.known && a >= 0 && b >= 0 && a < devices && b < devices;
    out.alike = out.alike && out.known && place[static_cast<size_t>(a)] == place[static_cast<size_t>(b)];
  };
  const TileAssignment& members = i.replica_groups->tiles;
  const auto size = members.dims.size() == 2 ? static_cast<size_t>(members.dims[1]) : size_t{1};
  if (i.permutation)
    for (const SourceTarget& pair : i.permutation->pairs()) meet(pair.source.value, pair.target.value);
  else
    out.alike = !members.devices.empty();
  for (size_t n = 0; n < members.devices.size(); ++n) meet(members.devices[n], members.devices[n - n % size]);
  return out;
}

}  // namespace

Result<void> bring_in(const SpmdContext& cx, const Visit& v) {
  for (const InstructionId operand : v.i.operands) {
    const size_t from = region_of(v, operand);
    if (v.places.values.contains({operand.value, v.region})) continue;
    if (enters_region(v.i) || leaves_region(v.i)) continue;
    const std::string& name = v.here.at(operand).name;
    if (from != 0)
      return invalid(name + " of a manual region is read outside of it", "instruction " + v.i.name,
                     "leave the region by custom-call SPMDShardToFullShape");
    Resharder::Because because(cx.resharder, "manual region: a value from outside is needed whole", name);
    const SpmdScope& outside = v.places.scopes[from];
    ShardedLeaves inside;
    for (const Sharded& leaf : v.places.values.at({operand.value, from})) {
      const size_t rank = leaf.base.rank();
      const Sharded whole = cx.resharder.to(outside, leaf, Tiling::replicated(rank, outside.size()));
      inside.push_back({whole.id, leaf.base, Tiling::replicated(rank, v.scope().size())});
    }
    v.places.values[{operand.value, v.region}] = std::move(inside);
  }
  return {};
}

namespace spmd_rule {

Result<ShardedLeaves> enter_region(const SpmdContext& cx, const Visit& v) {
  const size_t from = region_of(v, v.i.operands[0]);
  const Sharded& value = across(v, from);
  if (from == v.region) return ShardedLeaves{{value.id, v.i.shape, value.tiling}};
  const auto within = groups_within(v.places.regions.groups[from], v.groups());
  if (!within)
    return invalid("its manual region does not lie in the one that its operand is in",
                   "instruction " + v.i.name);
  const auto inner = inner_of(value.tiling, value.base.dims, v.i.shape.dims, *within);
  if (!inner)
    return invalid("sharding " + value.tiling.sharding().text() + " does not give every device " +
                       v.i.shape.text() + " of " + value.base.text(),
                   "instruction " + v.i.name);
  return ShardedLeaves{{parts_for_region(cx, v, from, value), v.i.shape, *inner}};
}

Result<ShardedLeaves> leave_region(const SpmdContext& cx, const Visit& v) {
  const size_t from = region_of(v, v.i.operands[0]);
  const Sharded& value = across(v, from);
  const auto within = groups_within(v.groups(), v.places.regions.groups[from]);
  if (!within)
    return invalid("its operand's manual region does not lie in the one that it goes back to",
                   "instruction " + v.i.name);
  const auto inner = inner_of(v.out(), v.i.shape.dims, value.base.dims, *within);
  if (!inner)
    return invalid("every device's " + value.base.text() + " do not make up " + v.i.shape.text() +
                       " with sharding " + v.out().sharding().text(),
                   "instruction " + v.i.name);
  Resharder::Because because(cx.resharder, "manual region: its result is resharded", v.source_of(0).name);
  const Sharded moved = cx.resharder.to(v.places.scopes[from], value, *inner);
  v.places.parts[static_cast<int32_t>(&v.i - v.here.instructions.data())] = {{moved.id, v.i.shape, v.out()}};
  return ShardedLeaves{{sum_of_regions(cx, v, from, moved.id), v.i.shape, v.out()}};
}

Result<ShardedLeaves> device_number(const SpmdContext& cx, const Visit& v) {
  if (!v.in_region())
    return invalid("the module asks for its own device number, so it is partitioned already",
                   "instruction " + v.i.name, "run it as it is: shardscope hlo run");
  return ShardedLeaves{
      {write_like(cx, v.i, v.i.shape, {}), v.i.shape, Tiling::replicated(0, v.scope().size())}};
}

// What XLA's partitioner leaves on tiles: a sum or a move of whatever devices hold. It knows no rule for
// other collectives of a region, so that they need their array whole along the axes that are not manual.
bool stays_on_tiles(Opcode opcode) {
  return has(opcode, Trait::by_pairs) || (has(opcode, Trait::sums) && has(opcode, Trait::same_result));
}

// On tiles where the devices that meet hold the same one; else each needs its array whole.
Result<ShardedLeaves> own_collective(const SpmdContext& cx, const Visit& v) {
  if (!v.in_region())
    return invalid("the module holds a collective, so it is partitioned already", "instruction " + v.i.name,
                   "run it as it is: shardscope hlo run");
  const Meeting meeting = meeting_of(v.i, v.groups());
  if (!meeting.known)
    return invalid("a collective of the module names other devices than 0 to " +
                       std::to_string(v.groups().count() * v.groups().size() - 1),
                   "instruction " + v.i.name);
  const bool alike =
      stays_on_tiles(v.i.opcode) && meeting.alike && v.i.operands.size() == 1 && !v.i.shape.is_tuple;
  std::vector<InstructionId> operands;
  const Tiling at = v.operand(0).tiling;
  {
    Resharder::Because because(
        cx.resharder, "manual region: its collective has no rule on tiles, so it needs the array whole",
        v.source_of(0).name);
    for (size_t k = 0; k < v.i.operands.size(); ++k)
      operands.push_back(alike ? v.operand(k).id : whole_operand(cx, v, k).id);
  }
  TRY(Instruction made, with_called(cx, v));
  if (made.channel_id) made.channel_id = cx.writer.next_channel();
  Resharder::Because because(cx.resharder, "manual region: the module says so itself", v.source_of(0).name);
  const int64_t first = cx.writer.count();
  const std::vector<Tiling> tilings =
      alike ? std::vector<Tiling>{at} : replicated_leaves(v.i.shape, v.scope().size());
  const InstructionId id = write_like(cx, made, tiled_shape(v.i.shape, tilings), operands);
  cx.resharder.note(first, "{manual}", "{manual}");
  return leaves_of_value(cx.writer, id, v.i.shape, tilings);
}

}  // namespace spmd_rule
}  // namespace shardscope::inline partitioner
