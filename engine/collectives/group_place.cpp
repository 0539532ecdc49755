// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/group_place.h"

#include <algorithm>

#include "engine/collectives/opcode_kind.h"
#include "engine/hardware/nodes.h"

namespace shardscope::inline collectives {

namespace {

// Ranks from one device to the next on an axis of the mesh.
struct AxisStride {
  int axis = 0;
  int32_t size = 1;
  int32_t stride = 1;
};

std::vector<AxisStride> strides_of(const Mesh& mesh, const std::vector<DeviceId>& members) {
  std::vector<AxisStride> out;
  const DeviceId first = members[0];
  for (int a = 0; a < mesh.rank(); ++a) {
    const int64_t size = mesh.axis_size(a);
    const int64_t here = mesh.coordinate(first, a);
    const int64_t moved = first.value + ((here + 1) % size - here) * mesh.stride(a);
    for (size_t r = 1; r < members.size(); ++r) {
      if (members[r].value == moved) out.push_back({a, static_cast<int32_t>(size), static_cast<int32_t>(r)});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const AxisStride& a, const AxisStride& b) { return a.stride > b.stride; });
  return out;
}

// Whether rank r stands as far from rank 0 along each axis as the strides say, round the axis.
bool row_by_row(const Mesh& mesh, const std::vector<DeviceId>& members, const std::vector<AxisStride>& axes) {
  int64_t ranks = static_cast<int64_t>(members.size());
  for (const AxisStride& a : axes) {
    if (ranks != int64_t{a.stride} * a.size) return false;
    ranks = a.stride;
  }
  if (ranks != 1) return false;
  for (size_t r = 0; r < members.size(); ++r) {
    int64_t device = members[0].value;
    for (const AxisStride& a : axes) {
      const int64_t from = mesh.coordinate(members[0], a.axis);
      const int64_t to = (from + static_cast<int64_t>(r) / a.stride) % a.size;
      device += (to - from) * mesh.stride(a.axis);
    }
    if (device != members[r].value) return false;
  }
  return true;
}

}  // namespace

GroupPlace place_group(const Mesh& mesh, const Fabric& fabric, const std::vector<DeviceId>& members) {
  GroupPlace place;
  place.topology.all_pairs = fabric.all_pairs();
  std::vector<int32_t> devices;
  for (const DeviceId member : members) devices.push_back(static_cast<int32_t>(member.value));
  place.topology.node = members_per_node(fabric, devices);
  if (place.topology.node > 0) place.topology.level_slices = fabric.link_costs().level_slices;
  const auto wraps = [&](const AxisStride& a) { return fabric.axis_wraps(a.axis); };
  const std::vector<AxisStride> axes = strides_of(mesh, members);
  for (const AxisStride& a : axes) place.topology.wraps = place.topology.wraps && wraps(a);
  if (!row_by_row(mesh, members, axes)) return place;
  for (const AxisStride& a : axes) {
    place.mesh_axes.push_back(a.axis);
    place.rank_axes.push_back(a.size);
    place.topology.axes.push_back({a.size, wraps(a)});
  }
  if (axes.size() == 1)
    place.topology.first = static_cast<int32_t>(mesh.coordinate(members[0], axes[0].axis));
  return place;
}

double mean_bytes_sent(const CollectiveSchedule& schedule, int64_t bytes) {
  std::vector<Transfer> transfers;
  const bool alike = schedule.rotation_symmetric();
  for (int32_t step = 0; step < schedule.steps(); ++step) {
    if (alike) {
      schedule.append_from(step, 0, transfers);
    } else {
      schedule.append_step(step, transfers);
    }
  }
  double chunks = 0;
  for (const Transfer& t : transfers) chunks += t.count;
  if (!alike) chunks /= schedule.ranks();
  return chunks * static_cast<double>(bytes) / schedule.chunks();
}

int64_t collective_bytes(const Computation& computation, const Instruction& i, int64_t ranks) {
  const CollectiveKind kind = collective_kind(i).value();
  if (kind == CollectiveKind::all_gather) return i.shape.bytes();
  int64_t bytes = 0;
  for (const InstructionId operand : i.operands) bytes += computation.at(operand).shape.bytes();
  return kind == CollectiveKind::all_to_all || kind == CollectiveKind::permute ? bytes * ranks : bytes;
}

}  // namespace shardscope::inline collectives
