// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/rules/partial_sums.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "engine/partition/rules/rules.h"
#include "engine/partition/types/leaf_shardings.h"
#include "engine/program/analysis/analysis.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

using Subgroup = HloSharding::Subgroup;

// Groups of devices whose arrays add up to one, in the order of their places; none: every array is whole.
DeviceGroups summands_of(const HloSharding& s, const DeviceGroups& around) {
  if (s.kind == HloSharding::Kind::unreduced) return around;
  std::map<int64_t, std::vector<int64_t>> by_rest;
  if (std::ranges::count(s.subgroups, Subgroup::unreduced) == 0) return {};
  for (size_t n = 0; n < s.tiles.devices.size(); ++n) {
    int64_t rest = static_cast<int64_t>(n), of_rest = 0, stride = 1;
    for (size_t d = s.tiles.dims.size(); d-- > 0; rest /= s.tiles.dims[d], stride *= s.tiles.dims[d])
      if (d < s.data_rank() || s.subgroups[d - s.data_rank()] != Subgroup::unreduced)
        of_rest += rest % s.tiles.dims[d] * stride;
    by_rest[of_rest].push_back(s.tiles.devices[n]);
  }
  DeviceGroups out;
  for (auto& [rest, group] : by_rest) out.groups.push_back(std::move(group));
  return out;
}

DeviceGroups summands_of(const Instruction& i, const DeviceGroups& around) {
  const auto shardings = leaf_shardings(i);
  return shardings.ok() && shardings->size() == 1 ? summands_of(shardings->front(), around) : DeviceGroups{};
}

// By device: the number of its group.
std::map<int64_t, size_t> group_numbers(const DeviceGroups& groups) {
  std::map<int64_t, size_t> out;
  for (size_t g = 0; g < groups.groups.size(); ++g)
    for (const int64_t device : groups.groups[g]) out[device] = g;
  return out;
}

// Devices of the same place in different groups.
DeviceGroups across_groups_of(const DeviceGroups& groups) {
  DeviceGroups out;
  for (int64_t p = 0; p < groups.size(); ++p) {
    auto& group = out.groups.emplace_back();
    for (const auto& of : groups.groups) group.push_back(of[static_cast<size_t>(p)]);
    std::ranges::sort(group);
  }
  std::ranges::sort(out.groups);
  return out;
}

// What of a sum can be made of parts of its operands: the dimensions that each adds up over.
std::vector<std::vector<int64_t>> summed_dims(const SpmdContext& cx, const Visit& v) {
  if (!has(v.i.opcode, Trait::partial)) return {};
  if (has(v.i.opcode, Trait::contracts)) {
    const auto dims = product_dims(v.here, v.i);
    return dims ? std::vector{dims->lhs_contracting, dims->rhs_contracting}
                : std::vector<std::vector<int64_t>>{};
  }
  const bool adds = v.i.operands.size() == 2 && !v.i.called.empty() && is_sum(cx.source, v.i);
  return adds ? std::vector{*v.i.dimensions, {}} : std::vector<std::vector<int64_t>>{};
}

// The value as each of `inner` has it, when its tiles along `summed` are what the groups differ in.
std::optional<Sharded> operand_of_part(const Sharded& value, const std::vector<int64_t>& summed,
                                       const DeviceGroups& inner) {
  Shape local = value.base;
  for (const int64_t d : summed) {
    const int64_t count = value.tiling.counts[static_cast<size_t>(d)];
    if (local.dims[static_cast<size_t>(d)] % count != 0) return std::nullopt;
    local.dims[static_cast<size_t>(d)] /= count;
  }
  const auto tiling = inner_of(value.tiling, value.base.dims, local.dims, inner);
  if (!tiling) return std::nullopt;
  return Sharded{value.id, std::move(local), *tiling};
}

// The sum of each group's own elements: the same instruction, done by groups side by side; none where that is
// not all.
Result<ShardedLeaves> own_sum(const SpmdContext& cx, const Visit& v, const DeviceGroups& summands) {
  const auto summed = summed_dims(cx, v);
  if (summed.empty() || v.operand(0).tiling.count_of(summed[0]) != summands.size()) return ShardedLeaves{};
  const DeviceGroups inner = across_groups_of(summands);
  const auto out = inner_of(v.out(), v.i.shape.dims, v.i.shape.dims, inner);
  if (!out) return ShardedLeaves{};
  Visit part = v;
  part.region = v.places.scopes.size();
  part.wanted = {*out};
  for (size_t k = 0; k < v.i.operands.size(); ++k) {
    const auto operand = operand_of_part(v.operand(k), summed[k], inner);
    if (!operand) return ShardedLeaves{};
    v.places.values[{v.i.operands[k].value, part.region}] = {*operand};
  }
  v.places.regions.groups.push_back(inner);
  v.places.scopes.push_back(cx.writer.inner(cx.writer.whole(), inner));
  TRY(ShardedLeaves made, write_by_rule(cx, part));
  const Sharded held = cx.resharder.to(part.scope(), made.front(), *out);
  return ShardedLeaves{{held.id, v.i.shape, v.out()}};
}

// Parts of the result are made of parts of the operands.
bool is_linear(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::negate:
    case Opcode::copy:
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::bitcast:
    case Opcode::slice:
    case Opcode::reverse:
    case Opcode::concatenate:
    case Opcode::convert:
      return true;
    default:
      return false;
  }
}

// The instruction on what each device has of the operands; none where that is not known.
Result<ShardedLeaves> of_parts(const SpmdContext& cx, const Visit& v, const DeviceGroups& summands) {
  if (!is_linear(v.i.opcode) || v.i.operands.empty()) return ShardedLeaves{};
  for (size_t k = 0; k < v.i.operands.size(); ++k)
    if (!v.places.parts.contains(v.i.operands[k].value) ||
        summands_of(v.source_of(k), v.groups()) != summands)
      return ShardedLeaves{};
  std::map<int32_t, ShardedLeaves> whole;
  for (const InstructionId operand : v.i.operands) {
    auto& value = v.places.values.at({operand.value, v.region});
    whole.emplace(operand.value, value);
    value = v.places.parts.at(operand.value);
  }
  auto made = write_by_rule(cx, v);
  for (auto& [operand, value] : whole) v.places.values.at({operand, v.region}) = std::move(value);
  TRY_VOID(made);
  return ShardedLeaves{cx.resharder.to(v.scope(), made->front(), v.out())};
}

// What `members` hold, added up on all of them: the visit's result.
InstructionId added_up(const SpmdContext& cx, const Visit& v, InstructionId parts,
                       const DeviceGroups& members) {
  const int64_t first = cx.writer.count();
  const InstructionId sum = cx.writer.all_reduce(parts, cx.writer.whole(), members,
                                                 cx.writer.adding_up(cx.writer.shape(parts).type));
  cx.resharder.note_sum(first, v.out());
  return sum;
}

}  // namespace

bool is_sum(const Program& program, const Instruction& i) {
  return reducer_opcode(program, i) == Opcode::add;
}

Result<void> keep_parts(const SpmdContext& cx, const Visit& v, size_t k, ShardedLeaves& made) {
  if (v.region != 0 || v.in_region() || v.shardings.size() != 1) return {};
  const DeviceGroups summands = summands_of(v.shardings[0], v.groups());
  if (summands.groups.empty()) return {};
  TRY(ShardedLeaves parts, own_sum(cx, v, summands));
  if (parts.empty()) {
    TRY(parts, of_parts(cx, v, summands));
    if (parts.empty()) return {};
    Resharder::Because because(
        cx.resharder, std::string(opcode_text(v.i.opcode)) + ": parts that the module leaves are added up",
        "result");
    made.front().id = added_up(cx, v, parts.front().id, summands);
  }
  if (!parts.empty()) v.places.parts[static_cast<int32_t>(k)] = std::move(parts);
  return {};
}

InstructionId parts_for_region(const SpmdContext& cx, const Visit& v, size_t from, const Sharded& whole) {
  const DeviceGroups& around = v.places.regions.groups[from];
  const DeviceGroups summands = summands_of(v.source_of(0), around);
  const auto region = group_numbers(v.groups());
  std::vector<int64_t> has_it(region.size(), 1);
  for (const auto& group : summands.groups)
    for (const int64_t device : group)
      has_it[static_cast<size_t>(device)] = region.at(device) == region.at(group.front());
  if (std::ranges::count(has_it, 0) == 0) return whole.id;
  const auto parts = v.places.parts.find(v.i.operands[0].value);
  if (from == 0 && parts != v.places.parts.end()) return parts->second.front().id;
  SpmdWriter& writer = cx.writer;
  const Shape tile = writer.shape(whole.id);
  const InstructionId here = writer.compare(writer.table(writer.whole(), ElementType::s32, has_it),
                                            writer.zero(ElementType::s32), CompareDirection::ne);
  return writer.op(Opcode::select, tile,
                   {writer.broadcast(here, tile.dims, {}), whole.id,
                    writer.broadcast(writer.zero(tile.type), tile.dims, {})});
}

InstructionId sum_of_regions(const SpmdContext& cx, const Visit& v, size_t from, InstructionId parts) {
  const DeviceGroups summands = summands_of(v.shardings[0], v.groups());
  std::map<int64_t, int64_t> place;  // in its group of the region
  for (const auto& group : v.places.regions.groups[from].groups)
    for (size_t p = 0; p < group.size(); ++p) place[group[p]] = static_cast<int64_t>(p);
  DeviceGroups members;
  for (const auto& group : summands.groups) {
    std::map<int64_t, std::vector<int64_t>> alike;
    for (const int64_t device : group) alike[place.at(device)].push_back(device);
    for (auto& [at, devices] : alike) members.groups.push_back(std::move(devices));
  }
  if (members.groups.empty() || members.size() == 1) return parts;
  Resharder::Because because(cx.resharder, "manual region: the parts that it gives are added up",
                             v.source_of(0).name);
  return added_up(cx, v, parts, members);
}

}  // namespace shardscope::inline partitioner
