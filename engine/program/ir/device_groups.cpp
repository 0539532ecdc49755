// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {
namespace {

// Chains from their first sender, cycles from their smallest device.
std::vector<std::vector<DeviceId>> permutation_groups(const Permutation& permutation, int64_t devices) {
  std::vector<char> seen(static_cast<size_t>(devices));
  std::vector<std::vector<DeviceId>> groups;
  const auto follow = [&](DeviceId first) {
    std::vector<DeviceId> group;
    for (DeviceId d = first; d.valid() && !seen[static_cast<size_t>(d.value)]; d = permutation.target_of(d)) {
      seen[static_cast<size_t>(d.value)] = 1;
      group.push_back(d);
    }
    if (!group.empty()) groups.push_back(std::move(group));
  };
  for (const SourceTarget& pair : permutation.pairs())
    if (!permutation.source_of(pair.source).valid()) follow(pair.source);
  for (int64_t d = 0; d < devices; ++d)
    if (permutation.source_of(DeviceId(d)).valid()) follow(DeviceId(d));
  return groups;
}

}  // namespace

std::vector<std::vector<DeviceId>> device_groups(const Program& program, const Instruction& collective) {
  std::vector<std::vector<DeviceId>> groups;
  if (collective.permutation) return permutation_groups(*collective.permutation, program.mesh.device_count());
  const ReplicaGroups& written = collective.replica_groups;
  const auto to_ids = [](auto first, auto last) {
    std::vector<DeviceId> ids;
    std::transform(first, last, std::back_inserter(ids), [](int64_t d) { return DeviceId(d); });
    return ids;
  };
  for (const auto& group : written.ragged) groups.push_back(to_ids(group.begin(), group.end()));
  if (!groups.empty()) return groups;
  if (written.tiles.dims.size() == 2 && !written.tiles.devices.empty()) {
    const auto size = static_cast<std::ptrdiff_t>(written.tiles.dims[1]);
    for (auto at = written.tiles.devices.begin(); at != written.tiles.devices.end(); at += size)
      groups.push_back(to_ids(at, at + size));
    return groups;
  }
  std::vector<int64_t> all(static_cast<size_t>(program.mesh.device_count()));
  std::iota(all.begin(), all.end(), 0);
  groups.push_back(to_ids(all.begin(), all.end()));
  return groups;
}

std::vector<std::string> collective_axes(const Program& program, const Instruction& collective) {
  const Mesh& mesh = program.mesh;
  std::vector<char> moves(static_cast<size_t>(mesh.rank()));
  const auto note = [&](DeviceId a, DeviceId b) {
    for (int axis = 0; axis < mesh.rank(); ++axis)
      if (!moves[static_cast<size_t>(axis)] && mesh.coordinate(a, axis) != mesh.coordinate(b, axis))
        moves[static_cast<size_t>(axis)] = 1;
  };
  int64_t group_size = 0;
  if (collective.permutation) {
    for (const SourceTarget& pair : collective.permutation->pairs()) note(pair.source, pair.target);
  } else {
    int64_t members = 0;
    const auto add = [&](int64_t size, const auto& member) {
      if (group_size != 0 && size != group_size) return false;
      group_size = size;
      members += size;
      for (int64_t m = 1; m < size; ++m) note(member(0), member(m));
      return true;
    };
    const TileAssignment& tiles = collective.replica_groups->tiles;
    if (tiles.dims.size() == 2 && !tiles.devices.empty() && collective.replica_groups->ragged.empty()) {
      for (auto at = tiles.devices.begin(); at != tiles.devices.end(); at += std::ptrdiff_t(tiles.dims[1]))
        add(tiles.dims[1], [&](int64_t m) { return DeviceId(at[std::ptrdiff_t(m)]); });
    } else {
      for (const auto& group : device_groups(program, collective))
        if (!add(std::ssize(group), [&](int64_t m) { return group[static_cast<size_t>(m)]; })) return {};
    }
    if (members != mesh.device_count()) return {};
  }
  std::vector<std::string> names;
  int64_t volume = 1;
  for (int axis = 0; axis < mesh.rank(); ++axis) {
    if (!moves[static_cast<size_t>(axis)]) continue;
    names.push_back(mesh.axes()[static_cast<size_t>(axis)].name);
    volume *= mesh.axis_size(axis);
  }
  // Members differ on these axes only, so a group of that many distinct members is a whole fibre of the mesh.
  if (!collective.permutation && volume != group_size) return {};
  return names;
}

}  // namespace shardscope::inline program
