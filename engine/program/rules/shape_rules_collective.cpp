// SPDX-License-Identifier: Apache-2.0
// Shape rules of collectives.
#include <algorithm>

#include "engine/base/units.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/rules/shape_rules.h"

namespace shardscope::inline program {
namespace {

Result<void> check_reducer(const InstructionCheck& c) {
  if (is_known(reducer_opcode(c.program, c.instruction))) return {};
  if (c.scheduled && c.callee("to_apply") != nullptr) return {};
  return c.error(
      "needs to_apply, a computation that is the add, multiply, maximum, minimum, and, or or xor of two "
      "scalars");
}

int64_t group_size(const InstructionCheck& c) {
  const TileAssignment& tiles = c.instruction.replica_groups->tiles;
  return tiles.devices.empty() ? c.program.mesh.device_count() : tiles.dims[1];
}

// What makes of one operand's shape the result's, the operation's dimension aside: its size, for a group.
using SizeRule = Result<int64_t> (*)(const InstructionCheck& c, int64_t size, int64_t group);

Result<int64_t> gathered_size(const InstructionCheck& c, int64_t size, int64_t group) {
  const auto gathered = checked_multiply(size, group);
  if (!gathered) return c.error("the gathered dimension overflows");
  return *gathered;
}

Result<int64_t> whole_size(const InstructionCheck& c, int64_t size, int64_t group) {
  if (size % group == 0) return size;
  return c.error("dimension " + std::to_string(c.instruction.dimensions[0]) + " of size " +
                 std::to_string(size) + ", expected a multiple of the group's " + std::to_string(group) +
                 " devices");
}

Result<int64_t> scattered_size(const InstructionCheck& c, int64_t size, int64_t group) {
  TRY(const int64_t whole, whole_size(c, size, group));
  return whole / group;
}

Result<void> check_in_groups(const InstructionCheck& c) {
  TRY_VOID(c.array_operands());
  TRY_VOID(check_groups(c));
  if (c.instruction.rooted && c.instruction.opcode != Opcode::all_reduce)
    return c.error("is rooted, expected an all-reduce");
  return {};
}

Result<void> check_equal_groups(const InstructionCheck& c) {
  TRY_VOID(check_in_groups(c));
  if (c.instruction.replica_groups->ragged.empty()) return {};
  return c.error("replica_groups of different sizes, expected equal ones");
}

// One array of `results`, or a tuple of them.
Result<void> check_results(const InstructionCheck& c, std::vector<Shape> results) {
  if (results.size() == 1 && !c.instruction.shape.is_tuple) return c.shape_is(results.front());
  return c.shape_is(Shape::tuple(std::move(results)));
}

// Each operand's size along the operation's dimension becomes what `rule` says.
Result<void> check_along(const InstructionCheck& c, SizeRule rule) {
  const std::vector<int64_t>& dimensions = c.instruction.dimensions;
  if (dimensions.size() != 1) return c.error(std::to_string(dimensions.size()) + " dimensions, expected 1");
  std::vector<Shape> results;
  for (size_t k = 0; k < c.operand_count(); ++k) {
    TRY_VOID(c.dimension(dimensions[0], c.operand(k).rank()));
    Shape result = Shape::array(c.operand(k).type, c.operand(k).dims);
    int64_t& size = result.dims[static_cast<size_t>(dimensions[0])];
    TRY(size, rule(c, size, group_size(c)));
    results.push_back(std::move(result));
  }
  return check_results(c, std::move(results));
}

Result<void> check_like_operands(const InstructionCheck& c) {
  std::vector<Shape> results;
  for (size_t k = 0; k < c.operand_count(); ++k) results.push_back(c.operand(k));
  return check_results(c, std::move(results));
}

// Whether a list of devices has each of [0, count) once.
bool names_each_once(const std::vector<int64_t>& devices, int64_t count) {
  if (static_cast<int64_t>(devices.size()) != count) return false;
  std::vector<char> seen(devices.size());
  return std::ranges::all_of(
      devices, [&](int64_t d) { return d >= 0 && d < count && seen[static_cast<size_t>(d)]++ == 0; });
}

}  // namespace

Result<void> check_groups(const InstructionCheck& c) {
  const TileAssignment& tiles = c.instruction.replica_groups->tiles;
  const auto size = static_cast<int64_t>(tiles.devices.size());
  if (!tiles.devices.empty() && (tiles.dims.size() != 2 || tiles.dims[0] < 1 || tiles.dims[1] < 1 ||
                                 size % tiles.dims[1] != 0 || size / tiles.dims[1] != tiles.dims[0]))
    return c.error("replica_groups, expected a groups × size array");
  const int64_t devices = c.program.mesh.device_count();
  if (c.instruction.replica_groups->ragged.empty() && names_each_once(tiles.devices, devices)) return {};
  std::vector<char> seen(static_cast<size_t>(devices));
  int64_t members = 0;
  const auto add = [&](int64_t device) -> Result<void> {
    if (device < 0 || device >= devices)
      return c.error("replica_groups name device " + std::to_string(device) + ", expected 0 to " +
                     std::to_string(devices - 1));
    if (seen[static_cast<size_t>(device)]++)
      return c.error("replica_groups name device " + std::to_string(device) + " twice");
    ++members;
    return {};
  };
  for (const int64_t d : tiles.devices) TRY_VOID(add(d));
  for (const auto& group : c.instruction.replica_groups->ragged) {
    if (group.empty()) return c.error("replica_groups hold an empty group");
    for (const int64_t d : group) TRY_VOID(add(d));
  }
  if (members == 0 || members == devices) return {};
  return c.error("replica_groups name " + std::to_string(members) + " devices, expected all " +
                 std::to_string(devices));
}

Result<void> check_permute(const InstructionCheck& c) {
  if (!c.instruction.permutation) return c.error("needs source_target_pairs");
  const int64_t devices = c.program.mesh.device_count();
  for (const SourceTarget& pair : c.instruction.permutation->pairs())
    for (const DeviceId d : {pair.source, pair.target})
      if (d.value < 0 || d.value >= devices)
        return c.error("source_target_pairs name device " + std::to_string(d.value) + ", expected 0 to " +
                       std::to_string(devices - 1));
  return check_like_operands(c);
}

Result<void> check_all_gather(const InstructionCheck& c) {
  TRY_VOID(check_equal_groups(c));
  return check_along(c, &gathered_size);
}

Result<void> check_reduce_scatter(const InstructionCheck& c) {
  TRY_VOID(check_equal_groups(c));
  TRY_VOID(check_reducer(c));
  return check_along(c, &scattered_size);
}

Result<void> check_all_reduce(const InstructionCheck& c) {
  TRY_VOID(check_in_groups(c));
  TRY_VOID(check_reducer(c));
  return check_like_operands(c);
}

Result<void> check_collective_broadcast(const InstructionCheck& c) {
  TRY_VOID(check_equal_groups(c));
  return check_like_operands(c);
}

// Without a dimension it takes an operand for each device of the group and gives a tuple of as many.
Result<void> check_all_to_all(const InstructionCheck& c) {
  TRY_VOID(check_equal_groups(c));
  if (!c.instruction.dimensions.empty()) return check_along(c, &whole_size);
  TRY_VOID(c.operands(static_cast<size_t>(group_size(c))));
  std::vector<Shape> results(c.operand_count(), c.operand(0));
  return c.shape_is(Shape::tuple(std::move(results)));
}

}  // namespace shardscope::inline program
