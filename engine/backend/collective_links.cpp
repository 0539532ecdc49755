// SPDX-License-Identifier: Apache-2.0
#include "engine/backend/collective_links.h"

#include <algorithm>

#include "engine/backend/compile_as.h"
#include "engine/base/say.h"
#include "engine/hardware/fabric.h"

namespace shardscope::inline backend {

CollectiveLink link_of(const Program& program, const Instruction& collective, const Hardware& hardware) {
  const Mesh& mesh = program.mesh;
  const int64_t chips = mesh.device_count(), node = hardware.node_devices.value_or(chips);
  if (topology_of(hardware, chips) != Topology::two_level || node >= chips) return CollectiveLink::node;
  const auto node_of = [&](DeviceId device) { return mesh.chip_of(device) / node; };
  if (collective.permutation != nullptr) {
    const bool leaves = std::ranges::any_of(collective.permutation->pairs(), [&](const SourceTarget& pair) {
      return node_of(pair.source) != node_of(pair.target);
    });
    return leaves ? CollectiveLink::network : CollectiveLink::node;
  }
  for (const std::vector<DeviceId>& group : device_groups(program, collective))
    for (const DeviceId member : group)
      if (node_of(member) != node_of(group.front())) return CollectiveLink::network;
  return CollectiveLink::node;
}

std::string words_of(CollectiveLink link, const Hardware& hardware) {
  if (link == CollectiveLink::network) return said("the network");
  return compiler_of(hardware) == CompileAs::xla_gpu ? "NVLink" : said("the links");
}

}  // namespace shardscope::inline backend
