// SPDX-License-Identifier: Apache-2.0
// The rings, trees and multicast heads that NCCL finds on a machine: how many channels, and what each
// carries.
#pragma once

#include <cstdint>

namespace shardscope::inline collectives {

enum class NcclGeneration : uint8_t { ampere, hopper, blackwell };
enum class NcclCpu : uint8_t { intel, amd, arm };

// The ranks of one collective: as many on each node as on the others, all of a node on one NVSwitch, a
// network card beside each.
struct NcclMachine {
  NcclGeneration generation = NcclGeneration::hopper;
  NcclCpu cpu = NcclCpu::intel;
  int32_t nodes = 1;
  int32_t per_node = 1;
  int32_t ranks() const { return nodes * per_node; }
  bool operator==(const NcclMachine&) const = default;
};

// GB/s (1e9 bytes) of a channel, within a node and between nodes.
struct NcclChannels {
  int32_t count = 0;
  double within = 0, between = 0;
  bool operator==(const NcclChannels&) const = default;
};

// What NCCL's search of the machine comes to. Of its answers some matter to times besides the channels:
// whether trees hang below one chip of a node (`plain_tree`), whether all rings are one another's copies
// (`rings_alike`), and whether rings and trees reach the network near enough for the protocol LL128.
struct NcclGraphs {
  NcclChannels ring, tree, nvls;  // nvls.count 0: no multicast
  bool plain_tree = false, rings_alike = false;
  bool ring_ll128 = true, tree_ll128 = true;
  bool operator==(const NcclGraphs&) const = default;
};

// Read off NCCL 2.30's own search (src/graph/search.cc at 5067397c), run on such machines: 1 to 8 chips of a
// node of Ampere (12 NVLinks of 20 GB/s, 200 Gb/s a chip) and Hopper (18 of 20.6, 400 Gb/s), 1 to 72 of
// Blackwell (18 of 40.1, 400 Gb/s). Larger nodes are as the largest. Needs 2 ranks or more.
NcclGraphs nccl_graphs(const NcclMachine& machine);

}  // namespace shardscope::inline collectives
