// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/nccl_choice.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "engine/collectives/nccl_symmetric.h"
#include "engine/hardware/nodes.h"

namespace shardscope::inline collectives {
namespace {

NcclGeneration generation_of(const std::string& word) {
  if (word == "ampere") return NcclGeneration::ampere;
  return word == "hopper" ? NcclGeneration::hopper : NcclGeneration::blackwell;
}

NcclCpu cpu_of(const std::string& word) {
  if (word == "amd") return NcclCpu::amd;
  return word == "arm" ? NcclCpu::arm : NcclCpu::intel;
}

// None: nodes with unequally many of the group.
std::optional<NcclMachine> machine_of(const Hardware::Nccl& nccl, const Fabric& fabric,
                                      const std::vector<int32_t>& members) {
  NcclMachine out{generation_of(nccl.generation), cpu_of(nccl.cpu), 1, static_cast<int32_t>(members.size())};
  if (fabric.node() == 0) return out;
  std::map<int32_t, int32_t> on_node;
  for (const int32_t device : members) ++on_node[node_of(fabric, device)];
  out.nodes = static_cast<int32_t>(on_node.size());
  out.per_node = on_node.begin()->second;
  const auto alike = [&](const auto& node) { return node.second == out.per_node; };
  return std::ranges::all_of(on_node, alike) ? std::optional(out) : std::nullopt;
}

CollectiveAlgorithm stands_for(NcclAlgorithm algorithm, const NcclCollective& collective,
                               const GroupTopology& topology, int64_t ranks) {
  const bool sums = collective.kind != CollectiveKind::broadcast && collective.kind != CollectiveKind::reduce;
  const bool nodes = topology.node > 1 && topology.node < ranks && ranks % topology.node == 0;
  switch (algorithm) {
    case NcclAlgorithm::ring:
      return nodes && sums ? CollectiveAlgorithm::hierarchical : CollectiveAlgorithm::ring;
    case NcclAlgorithm::nvls:
      return CollectiveAlgorithm::direct;
    case NcclAlgorithm::pat:
      return CollectiveAlgorithm::bruck;
    case NcclAlgorithm::tree:
    case NcclAlgorithm::nvls_tree:
      break;
  }
  return nodes ? CollectiveAlgorithm::hierarchical : CollectiveAlgorithm::tree;
}

}  // namespace

NcclTaken nccl_takes(const Hardware& hardware, const Fabric& fabric, const std::vector<int32_t>& members,
                     const GroupTopology& topology, const NcclCollective& collective) {
  constexpr CollectiveAlgorithm kNone = CollectiveAlgorithm::automatic;
  if (!hardware.nccl) return {kNone, fmt::format("NCCL has no model of {}", hardware.name)};
  const auto machine = machine_of(*hardware.nccl, fabric, members);
  if (!machine) return {kNone, "NCCL's model is of nodes with as many devices of the group each"};
  const std::vector<NcclTime> times = nccl_times(*machine, collective);
  if (times.empty())
    return {kNone, fmt::format("NCCL has no choice of algorithms for {}", name(collective.kind))};
  const auto algorithm = stands_for(times[0].algorithm, collective, topology, std::ssize(members));
  std::string why = fmt::format("{}: {}", name(algorithm), words_of(times));
  if (const auto symmetric = nccl_symmetric(*machine, collective)) why += "; " + words_of(*symmetric);
  return {algorithm, why};
}

}  // namespace shardscope::inline collectives
