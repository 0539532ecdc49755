// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/group_shape.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/collectives/opcode_kind.h"

namespace shardscope {

namespace {

// Ranks from one device to the next on an axis of the mesh.
struct AxisStride {
  int axis = 0;
  int32_t size = 1;
  int32_t stride = 1;
};

std::vector<AxisStride> strides_of(const Mesh& mesh, const std::vector<int32_t>& members) {
  std::vector<AxisStride> out;
  const DeviceId first(members[0]);
  for (int a = 0; a < mesh.rank(); ++a) {
    const int64_t size = mesh.axis_size(a);
    const int64_t next = (mesh.coordinate(first, a) + 1) % size;
    for (size_t r = 1; r < members.size(); ++r) {
      const int64_t moved = first.value + (next - mesh.coordinate(first, a)) * mesh.stride(a);
      if (members[r] == moved) out.push_back({a, static_cast<int32_t>(size), static_cast<int32_t>(r)});
    }
  }
  std::sort(out.begin(), out.end(),
            [](const AxisStride& a, const AxisStride& b) { return a.stride > b.stride; });
  return out;
}

// Whether rank r stands as far from rank 0 along each axis as the strides say, round the axis.
bool row_by_row(const Mesh& mesh, const std::vector<int32_t>& members, const std::vector<AxisStride>& axes) {
  int64_t ranks = static_cast<int64_t>(members.size());
  for (const AxisStride& a : axes) {
    if (ranks != int64_t{a.stride} * a.size) return false;
    ranks = a.stride;
  }
  if (ranks != 1) return false;
  const DeviceId first(members[0]);
  for (size_t r = 0; r < members.size(); ++r) {
    int64_t device = first.value;
    for (const AxisStride& a : axes) {
      const int64_t from = mesh.coordinate(first, a.axis);
      const int64_t to = (from + static_cast<int64_t>(r) / a.stride) % a.size;
      device += (to - from) * mesh.stride(a.axis);
    }
    if (device != members[r]) return false;
  }
  return true;
}

// Members per node when they come node after node, as many of each; 0: all in one, or in no order.
int32_t members_per_node(const Fabric& fabric, const std::vector<int32_t>& members) {
  if (fabric.node() == 0) return 0;
  const auto node = [&](size_t r) { return fabric.chip_of(members[r]) / fabric.node(); };
  size_t per = 1;
  while (per < members.size() && node(per) == node(0)) ++per;
  if (per == members.size() || members.size() % per != 0) return 0;
  for (size_t r = 0; r < members.size(); ++r) {
    if (node(r) != node(r / per * per) || (r >= per && r % per == 0 && node(r) == node(r - 1))) return 0;
  }
  return static_cast<int32_t>(per);
}

}  // namespace

GroupShape group_shape(const Mesh& mesh, const Fabric& fabric, const std::vector<int32_t>& members) {
  GroupShape shape;
  shape.topology.all_pairs = fabric.all_pairs();
  shape.topology.node = members_per_node(fabric, members);
  const std::vector<AxisStride> axes = strides_of(mesh, members);
  for (const AxisStride& a : axes) {
    shape.topology.wraps = shape.topology.wraps && fabric.axis_wraps(a.axis);
  }
  if (!row_by_row(mesh, members, axes)) return shape;
  for (const AxisStride& a : axes) {
    shape.mesh_axes.push_back(a.axis);
    shape.rank_axes.push_back(a.size);
    shape.topology.axes.push_back({a.size, fabric.axis_wraps(a.axis)});
  }
  if (axes.size() == 1) {
    shape.topology.first = static_cast<int32_t>(mesh.coordinate(DeviceId(members[0]), axes[0].axis));
  }
  return shape;
}

std::optional<CollectiveKind> kind_of(const Instruction& instruction) {
  if (instruction.opcode == Opcode::all_reduce && instruction.rooted) return CollectiveKind::reduce;
  return collective_kind(instruction.opcode);
}

int64_t whole_bytes(const Computation& computation, const Instruction& i, int64_t ranks) {
  const CollectiveKind kind = kind_of(i).value();
  if (kind == CollectiveKind::all_gather) return i.shape.bytes();
  int64_t bytes = 0;
  for (const InstructionId operand : i.operands) bytes += computation.at(operand).shape.bytes();
  return kind == CollectiveKind::all_to_all || kind == CollectiveKind::permute ? bytes * ranks : bytes;
}

const AlgorithmFinder::Known& AlgorithmFinder::fastest(CollectiveKind kind, int32_t ranks, int64_t bytes,
                                                       const GroupTopology& topology) {
  for (const Known& known : known_) {
    if (known.kind == kind && known.ranks == ranks && known.bytes == bytes && known.topology == topology)
      return known;
  }
  Known& fresh = known_.emplace_back(Known{kind, ranks, bytes, topology, CollectiveAlgorithm::automatic, ""});
  if (fabric_.link_error().ok()) {
    AlgorithmChoice choice = choose(kind, ranks, topology, bytes, fabric_.link_costs());
    fresh.algorithm = choice.algorithm;
    fresh.why = std::move(choice.why);
  } else {
    fresh.algorithm = chosen_algorithm(CollectiveAlgorithm::automatic, ranks, topology);
  }
  return fresh;
}

Result<AlgorithmFinder::Found> AlgorithmFinder::find(const Instruction& i, int32_t ranks,
                                                     const GroupShape& shape) {
  const CollectiveKind kind = kind_of(i).value();
  Found found;
  CollectiveAlgorithm wanted = asked_;
  if (wanted != CollectiveAlgorithm::automatic) {
    const std::vector<CollectiveAlgorithm> words = algorithms_for(kind);
    if (std::find(words.begin(), words.end(), wanted) == words.end()) {
      found.ignored = fmt::format("no {} goes by {}: it goes by the fastest of {}", name(kind), name(wanted),
                                  algorithm_words(kind));
      wanted = CollectiveAlgorithm::automatic;
    }
  }
  const bool asked_nothing = wanted == CollectiveAlgorithm::automatic;
  if (!i.algorithm.empty()) {
    TRY(wanted, parse_collective_algorithm(i.algorithm));
  }
  if (asked_nothing || wanted == CollectiveAlgorithm::automatic) {
    const int64_t bytes = whole_bytes(program_.entry_computation(), i, ranks);
    const Known& best = fastest(kind, ranks, bytes, shape.topology);
    if (wanted == CollectiveAlgorithm::automatic) wanted = best.algorithm;
    if (wanted == best.algorithm) found.why = best.why;
  }
  found.algorithm = wanted;
  return found;
}

}  // namespace shardscope
