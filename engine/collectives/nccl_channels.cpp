// SPDX-License-Identifier: Apache-2.0
#include "engine/collectives/nccl_channels.h"

#include <algorithm>
#include <span>

namespace shardscope::inline collectives {
namespace {

// The speeds of a channel that NCCL tries, and GB/s of a chip's NVLinks.
constexpr double kHopperSpeeds[] = {60, 50, 40, 30, 24, 20};
constexpr double kHopperNetworkSpeeds[] = {48, 45, 42, 40, 30, 24};
constexpr double kBlackwellSpeeds[] = {90, 80, 70, 60, 50, 45, 40, 30, 24, 20};
constexpr double kBlackwellNetworkSpeeds[] = {48, 45.1, 42, 40, 30, 24, 22, 20};
constexpr double kHopperLinks = 370.8, kBlackwellLinks = 721.8;
constexpr int32_t kMostHeads = 32;

// A head of multicast sends to all chips of a node and to itself; towards the network it may be as fast again
// as within.
NcclChannels multicast(std::span<const double> speeds, double links, int32_t chips) {
  const int32_t heads = std::min(chips, kMostHeads);
  NcclChannels out{heads, speeds.back(), speeds.front()};
  const auto within = std::ranges::find_if(speeds, [&](double s) { return s * (heads + 1) <= links; });
  if (within != speeds.end()) out.within = *within;
  for (const double speed : speeds)
    if (speed >= 2 * out.within) out.between = speed;
  return out;
}

NcclGraphs one_node(const NcclMachine& m) {
  const int32_t n = m.per_node;
  NcclGraphs out;
  out.rings_alike = n < kMostHeads;
  switch (m.generation) {
    case NcclGeneration::ampere:
      out.ring = {12, 20, 20};
      out.tree = n == 2 ? NcclChannels{12, 40, 40} : out.ring;
      break;
    case NcclGeneration::hopper: {
      const double tree = n == 2 ? 60 : n == 3 ? 40 : 30;
      out.ring = {12, 30, 30};
      out.tree = {12, tree, tree};
      out.nvls = multicast(kHopperSpeeds, kHopperLinks, n);
      break;
    }
    case NcclGeneration::blackwell: {
      const double tree = n == 2 ? 90 : n == 3 ? 60 : n == 4 ? 50 : 45;
      out.ring = {16, 45, 45};
      out.tree = {16, tree, tree};
      out.plain_tree = n == 3 || n == 4;
      out.nvls = multicast(kBlackwellSpeeds, kBlackwellLinks, n);
      break;
    }
  }
  return out;
}

NcclGraphs ampere_nodes(int32_t n) {
  NcclGraphs out;
  out.ring = {n, 24, 24};
  out.tree = {n, n <= 4 ? 48.0 : n <= 7 ? 30.0 : 24.0, 24};
  out.plain_tree = n == 1;
  out.ring_ll128 = out.tree_ll128 = n == 1;
  return out;
}

NcclGraphs hopper_nodes(int32_t n) {
  NcclGraphs out;
  out.plain_tree = true;
  // Few rings are doubled, each of half the speed.
  out.ring = n <= 4 ? NcclChannels{2 * n, 24, 24} : NcclChannels{n, 48, 48};
  out.tree = {out.ring.count, 48, out.ring.between};
  out.nvls = multicast(kHopperNetworkSpeeds, kHopperLinks, n);
  return out;
}

// Beyond 16 chips of a node few speeds fit its links: of 18 a ring each, else as many as there may be,
// halves.
NcclChannels blackwell_rings(int32_t n) {
  if (n <= 4) return {2 * n, 24, 24};
  if (n <= 16) return {n, 48, 48};
  if (n == 18) return {18, 42, 42};
  return n <= 30 ? NcclChannels{31, 24, 24} : NcclChannels{16, 45.1, 45.1};
}

NcclGraphs blackwell_nodes(int32_t n) {
  NcclGraphs out;
  out.plain_tree = true;
  out.ring = blackwell_rings(n);
  out.tree = out.ring;
  if (n <= 4) out.tree.within = 48;
  if (n >= 5 && n <= 10) out.tree.within = n <= 8 ? 96 : n == 9 ? 86 : 80;
  out.nvls = multicast(kBlackwellNetworkSpeeds, kBlackwellLinks, n);
  return out;
}

}  // namespace

NcclGraphs nccl_graphs(const NcclMachine& machine) {
  NcclMachine m = machine;
  m.per_node = std::min(m.per_node, m.generation == NcclGeneration::blackwell ? 72 : 8);
  if (m.nodes == 1) return one_node(m);
  NcclGraphs out = m.generation == NcclGeneration::ampere   ? ampere_nodes(m.per_node)
                   : m.generation == NcclGeneration::hopper ? hopper_nodes(m.per_node)
                                                            : blackwell_nodes(m.per_node);
  out.rings_alike = m.per_node == 1;
  return out;
}

}  // namespace shardscope::inline collectives
