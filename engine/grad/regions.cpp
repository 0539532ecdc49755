// SPDX-License-Identifier: Apache-2.0
#include "engine/grad/regions.h"

#include <algorithm>
#include <map>

#include "engine/partition/types/manual_regions.h"

namespace shardscope::inline grad {
namespace {

using Subgroup = HloSharding::Subgroup;
using Places = std::map<int64_t, std::vector<int64_t>>;  // by device

// The place of each device along those dimensions of the tiles that `counts` says; empty where it is not
// tiled.
template <class Counts>
Places places(const HloSharding& s, int64_t devices, Counts counts) {
  Places out;
  for (int64_t d = 0; d < devices && s.kind != HloSharding::Kind::tiled; ++d) out[d] = {};
  for (size_t n = 0; n < s.tiles.devices->size(); ++n) {
    auto rest = static_cast<int64_t>(n);
    std::vector<int64_t>& place = out[(*s.tiles.devices)[n]];
    for (size_t d = s.tiles.dims.size(); d-- > 0; rest /= s.tiles.dims[d]) {
      const bool manual = d >= s.data_rank() && s.subgroups[d - s.data_rank()] == Subgroup::manual;
      if (counts(d < s.data_rank(), manual)) place.push_back(rest % s.tiles.dims[d]);
    }
  }
  return out;
}

// Devices that hold the same part of an array that is whole outside of a region, `part` inside: their tile is
// the same, the region that they may already be in, and their place among those that work as one inside.
std::vector<std::vector<int64_t>> copies(const HloSharding& whole, const HloSharding& part, int64_t devices) {
  const Places tiles = places(whole, devices, [](bool data, bool manual) { return data || manual; });
  const Places automatic = places(part, devices, [](bool, bool manual) { return !manual; });
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, std::vector<int64_t>> groups;
  for (const auto& [device, tile] : tiles) {
    const auto known = automatic.find(device);
    groups[{known == automatic.end() ? std::vector<int64_t>() : known->second, tile}].push_back(device);
  }
  std::vector<std::vector<int64_t>> out;
  for (auto& [key, group] : groups) out.push_back(std::move(group));
  std::ranges::sort(out);
  return out;
}

InstructionId edge(const GradTurn& t, const char* target, const Shape& shape, InstructionId of,
                   const HloSharding& sharding) {
  const InstructionId made = t.page().op(Opcode::custom_call, Shape::array(shape.type, shape.dims), {of});
  Instruction& i = t.page().edit(made);
  i.attributes = CustomCall{target};
  i.sharding = sharding;
  return made;
}

InstructionId summed(const GradTurn& t, InstructionId id, std::vector<std::vector<int64_t>> groups) {
  GradPage& page = t.page();
  const ComputationId add = page.module().reducer(Opcode::add, page.type(id));
  const InstructionId made = page.op(Opcode::all_reduce, {id});
  Instruction& i = page.edit(made);
  i.called = {{"to_apply", add}};
  i.channel_id = page.module().next_channel();
  i.verbatim.edit().push_back({"use_global_device_ids", "true"});
  ReplicaGroups& written = i.replica_groups.edit();
  written.tiles.dims = {std::ssize(groups), std::ssize(groups.front())};
  for (const auto& group : groups)
    written.tiles.devices.edit().insert(written.tiles.devices.edit().end(), group.begin(), group.end());
  written.listed = true;
  return made;
}

}  // namespace

Result<void> grad_region_end(const GradTurn& t) {
  const Instruction& i = t.at();
  const Instruction& before = t.sweep.from().at(i.operands[0]);
  if (!i.sharding.has_value() || !before.sharding.has_value())
    return t.error("an array without a sharding enters or leaves a manual region");
  const bool enters = enters_region(i);
  const HloSharding &whole = enters ? *before.sharding : *i.sharding,
                    &part = enters ? *i.sharding : *before.sharding;
  const auto groups = copies(whole, part, t.sweep.program().mesh.device_count());
  const size_t size = groups.front().size();
  if (std::ranges::any_of(groups, [size](const auto& g) { return g.size() != size; }))
    return t.error("copies of an array that enters or leaves a manual region are not as many everywhere");
  GradPage& page = t.page();
  InstructionId bar = t.bar();
  if (enters) {
    if (size > 1) bar = summed(t, bar, groups);
    bar = edge(t, "Sharding", i.shape, bar, part);
    bar = edge(t, "SPMDShardToFullShape", t.operand_shape(0), bar, whole);
  } else {
    if (size > 1)
      bar = page.op(Opcode::divide, {bar, page.constant(page.shape(bar), static_cast<double>(size))});
    bar = edge(t, "Sharding", i.shape, bar, whole);
    bar = edge(t, "SPMDFullToShardShape", t.operand_shape(0), bar, part);
  }
  t.give(0, bar);
  return {};
}

}  // namespace shardscope::inline grad
