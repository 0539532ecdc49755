// SPDX-License-Identifier: Apache-2.0
#include "engine/partition/types/manual_regions.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "engine/partition/types/leaf_shardings.h"
#include "engine/partition/types/sdy_regions.h"
#include "engine/program/ir/dimension_numbers.h"

namespace shardscope::inline partitioner {
namespace {

using Subgroup = HloSharding::Subgroup;

// By device: which of its data tiles, manual and other subgroups' places it stands at.
struct DevicePlace {
  std::vector<int64_t> data;
  int64_t manual = 0;
};

std::map<int64_t, DevicePlace> places_of(const HloSharding& s) {
  std::map<int64_t, DevicePlace> out;
  for (size_t n = 0; n < s.tiles.devices.size(); ++n) {
    DevicePlace place;
    place.data.resize(s.data_rank());
    auto rest = static_cast<int64_t>(n);
    int64_t stride = 1;
    for (size_t d = s.tiles.dims.size(); d-- > 0;) {
      const int64_t at = rest % s.tiles.dims[d];
      rest /= s.tiles.dims[d];
      if (d < s.data_rank()) {
        place.data[d] = at;
      } else if (s.subgroups[d - s.data_rank()] == Subgroup::manual) {
        place.manual += at * stride;
        stride *= s.tiles.dims[d];
      }
    }
    out[s.tiles.devices[n]] = std::move(place);
  }
  return out;
}

DeviceGroups single_devices(const DeviceGroups& around) {
  DeviceGroups out;
  for (const auto& group : around.groups)
    for (const int64_t device : group) out.groups.push_back({device});
  std::ranges::sort(out.groups);
  return out;
}

Result<DeviceGroups> groups_of(const HloSharding& sharding, const DeviceGroups& around) {
  if (sharding.kind == HloSharding::Kind::manual) return single_devices(around);
  std::map<int64_t, std::vector<int64_t>> by_place;
  for (const auto& [device, place] : places_of(sharding)) by_place[place.manual].push_back(device);
  DeviceGroups out;
  for (auto& [place, group] : by_place) out.groups.push_back(std::move(group));
  std::ranges::sort(out.groups);
  if (out.count() * out.size() != around.count() * around.size())
    return invalid("sharding " + sharding.text() + " names " + std::to_string(out.count() * out.size()) +
                   " devices, expected " + std::to_string(around.count() * around.size()));
  if (single_devices(out) != single_devices(around))
    return invalid("sharding " + sharding.text() + " names other devices than the module has");
  return out;
}

// What is made of a device's number alone is in the region of what reads it.
void from_their_readers(const Computation& c, std::vector<size_t>& of) {
  std::vector<bool> of_number(c.instructions.size());
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    if (leaves_region(i) || enters_region(i)) continue;
    of_number[k] = has(i.opcode, Trait::device_number);
    for (const InstructionId operand : i.operands)
      if (of_number[static_cast<size_t>(operand.value)]) of_number[k] = true;
  }
  for (size_t k = c.instructions.size(); k-- > 0;) {
    if (of[k] == 0 || leaves_region(c.instructions[k])) continue;
    for (const InstructionId operand : c.instructions[k].operands) {
      const auto from = static_cast<size_t>(operand.value);
      if (of_number[from] && of[from] == 0) of[from] = of[k];
    }
  }
}

}  // namespace

bool enters_region(const Instruction& i) {
  return custom_call_target(i) == "SPMDFullToShardShape" && i.operands.size() == 1;
}

bool leaves_region(const Instruction& i) {
  return custom_call_target(i) == "SPMDShardToFullShape" && i.operands.size() == 1;
}

bool has_manual_regions(const Program& module) {
  for (const Computation& c : module.computations)
    if (std::ranges::any_of(c.instructions, [](const Instruction& i) {
          return enters_region(i) || leaves_region(i);  // nothing enters a region that makes all it reads
        }))
      return true;
  return has_sdy_regions(module);
}

bool is_manual(const HloSharding& sharding) {
  return sharding.kind == HloSharding::Kind::manual ||
         std::ranges::count(sharding.subgroups, Subgroup::manual) > 0;
}

HloSharding manual_sharding() {
  HloSharding out;
  out.kind = HloSharding::Kind::manual;
  return out;
}

Result<ManualRegions> ManualRegions::of_computation(const Computation& c, const DeviceGroups& around) {
  ManualRegions out;
  out.groups = {around};
  out.of.resize(c.instructions.size(), 0);
  size_t first = 0;
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    TRY(const std::vector<HloSharding> shardings, leaf_shardings(i));
    if (const auto manual = std::ranges::find_if(shardings, is_manual); manual != shardings.end()) {
      if (i.opcode == Opcode::parameter && around.count() == 1)
        return invalid("sharding " + manual->text() + " of a parameter cannot be partitioned",
                       "instruction " + display_name(i),
                       "enter the region by custom-call SPMDFullToShardShape");
      auto groups = groups_of(*manual, around);
      if (!groups.ok()) return invalid(groups.error().what, "instruction " + display_name(i));
      const auto known = std::ranges::find(out.groups, *groups);
      out.of[k] = static_cast<size_t>(known - out.groups.begin());
      if (known == out.groups.end()) out.groups.push_back(*std::move(groups));
      if (first == 0) first = out.of[k];
    } else if (!leaves_region(i)) {
      for (const InstructionId operand : i.operands)
        if (out.of[k] == 0) out.of[k] = out.of[static_cast<size_t>(operand.value)];
    }
    if (leaves_region(i) && out.groups.size() > 1 &&
        out.of[static_cast<size_t>(i.operands[0].value)] == out.of[k])
      return invalid("the operand of SPMDShardToFullShape is not in a manual region",
                     "instruction " + display_name(i));
  }
  if (first == 0) return out;
  from_their_readers(c, out.of);
  // A device asks for its number only inside of a region; what it makes of it is there too.
  for (size_t k = 0; k < c.instructions.size(); ++k) {
    const Instruction& i = c.instructions[k];
    if (out.of[k] != 0 || leaves_region(i)) continue;
    if (has(i.opcode, Trait::device_number)) out.of[k] = first;
    for (const InstructionId operand : i.operands)
      if (out.of[k] == 0) out.of[k] = out.of[static_cast<size_t>(operand.value)];
  }
  return out;
}

Result<ModuleRegions> ModuleRegions::of_module(const Program& module, int64_t devices) {
  ModuleRegions out;
  DeviceGroups& all = out.groups.emplace_back();
  all.groups.emplace_back(static_cast<size_t>(devices));
  std::iota(all.groups.front().begin(), all.groups.front().end(), 0);
  const auto number = [&](const DeviceGroups& groups) {
    const auto known = std::ranges::find(out.groups, groups);
    if (known == out.groups.end()) out.groups.push_back(groups);
    return static_cast<size_t>(std::ranges::find(out.groups, groups) - out.groups.begin());
  };
  out.of.resize(module.computations.size());
  std::vector<size_t> around(module.computations.size());  // the caller's region
  for (size_t c = out.of.size(); c-- > 0;) {               // callers before callees
    const Computation& computation = module.computations[c];
    TRY(const ManualRegions regions,
        ManualRegions::of_computation(computation, DeviceGroups(out.groups[around[c]])));
    for (const size_t region : regions.of) out.of[c].push_back(number(regions.groups[region]));
    for (size_t k = 0; k < computation.instructions.size(); ++k) {
      if (out.of[c][k] == 0) continue;
      for (const CalledComputation& called : computation.instructions[k].called) {
        size_t& region = around[static_cast<size_t>(called.computation.value)];
        // Called from two regions: each device is looked at by itself.
        region = region == 0 || region == out.of[c][k] ? out.of[c][k]
                                                       : number(single_devices(DeviceGroups(out.groups[0])));
      }
    }
  }
  return out;
}

Result<std::vector<std::vector<bool>>> instructions_in_regions(const Program& module, int64_t devices) {
  TRY(const ModuleRegions regions, ModuleRegions::of_module(module, devices));
  std::vector<std::vector<bool>> out;
  for (const auto& of : regions.of) {
    out.emplace_back();
    for (const size_t region : of) out.back().push_back(region != 0);
  }
  return out;
}

Result<Tiling> tiling_in_groups(const HloSharding& said, size_t rank, const DeviceGroups& groups) {
  // Where sums are left to be added up later they are added up at once.
  const HloSharding sharding = said.added_up();
  const bool outside = groups.count() == 1;
  // One device's array is everybody's once it has been sent round.
  if (outside && sharding.kind == HloSharding::Kind::maximal) return Tiling::replicated(rank, groups.size());
  if (outside && !is_manual(sharding)) return Tiling::from(sharding, rank, groups.size());
  const Tiling whole = Tiling::replicated(rank, groups.size());
  if (sharding.kind == HloSharding::Kind::replicated || sharding.kind == HloSharding::Kind::manual)
    return whole;
  if (!is_manual(sharding) || sharding.data_rank() != rank)
    return invalid("sharding " + sharding.text() + " cannot be partitioned in a manual region");
  const auto places = places_of(sharding);
  for (const auto& group : groups.groups)
    for (const int64_t device : group)
      if (!places.contains(device))
        return invalid("sharding " + sharding.text() + " does not name device " + std::to_string(device));
  std::vector<std::vector<int64_t>> tile_of;
  for (const int64_t device : groups.groups.front()) tile_of.push_back(places.at(device).data);
  for (const auto& group : groups.groups)
    for (size_t p = 0; p < group.size(); ++p)
      if (places.at(group[p]).data != tile_of[p])
        return invalid("sharding " + sharding.text() + " differs between the groups of its manual region");
  Tiling out = whole;
  out.counts.assign(sharding.tiles.dims.begin(),
                    sharding.tiles.dims.begin() + static_cast<std::ptrdiff_t>(rank));
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t p) { return tile_of[static_cast<size_t>(p)]; });
  return out;
}

std::optional<DeviceGroups> groups_within(const DeviceGroups& around, const DeviceGroups& inner) {
  std::map<int64_t, std::pair<size_t, int64_t>> place;  // by device: its group around, and where in it
  for (size_t g = 0; g < around.groups.size(); ++g)
    for (size_t p = 0; p < around.groups[g].size(); ++p)
      place[around.groups[g][p]] = {g, static_cast<int64_t>(p)};
  std::vector<DeviceGroups> within(around.groups.size());
  for (const auto& group : inner.groups) {
    std::vector<int64_t> places;
    for (const int64_t device : group) {
      const auto at = place.find(device);
      if (at == place.end() || at->second.first != place.at(group.front()).first) return std::nullopt;
      places.push_back(at->second.second);
    }
    within[place.at(group.front()).first].groups.push_back(std::move(places));
  }
  for (DeviceGroups& groups : within) {
    std::ranges::sort(groups.groups);
    if (groups != within.front()) return std::nullopt;
  }
  return within.front();
}

std::optional<Tiling> inner_of(const Tiling& outer, const std::vector<int64_t>& full,
                               const std::vector<int64_t>& local, const DeviceGroups& groups) {
  const size_t rank = full.size();
  if (local.size() != rank || outer.rank() != rank) return std::nullopt;
  Tiling out = Tiling::replicated(rank, groups.size());
  for (size_t d = 0; d < rank; ++d) {
    if (local[d] == 0 || full[d] % local[d] != 0) return std::nullopt;
    const int64_t parts = full[d] / local[d];
    if (outer.counts[d] % parts != 0) return std::nullopt;
    out.counts[d] = outer.counts[d] / parts;
    if (parts > 1 && local[d] % out.counts[d] != 0) return std::nullopt;
  }
  if (groups.size() % out.tiles() != 0) return std::nullopt;
  const auto place = outer.coordinates();
  std::vector<std::vector<int64_t>> tile_of;
  for (const auto& group : groups.groups) {
    std::vector<int64_t> part;
    for (size_t p = 0; p < group.size(); ++p) {
      const auto at = place[static_cast<size_t>(group[p])];
      std::vector<int64_t> tile(at.begin(), at.end()), own = tile;
      for (size_t d = 0; d < rank; ++d) {
        tile[d] %= out.counts[d];
        own[d] /= out.counts[d];
      }
      if (p == 0) part = own;
      if (own != part) return std::nullopt;
      if (tile_of.size() == p) tile_of.push_back(tile);
      if (tile_of[p] != tile) return std::nullopt;
    }
  }
  std::ranges::stable_sort(out.order.edit(), {}, [&](int64_t p) { return tile_of[static_cast<size_t>(p)]; });
  return out;
}

}  // namespace shardscope::inline partitioner
