// SPDX-License-Identifier: Apache-2.0
// The one lowering of collectives to transfers, used by timing and by the ring view; each family of
// algorithms has a file of its own, with its paper.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/collectives/schedule.h"

namespace shardscope::inline collectives {

enum class CollectiveAlgorithm {
  automatic,
#define ALGORITHM(enumerator, ...) enumerator,
#include "engine/collectives/algorithms.def"
#undef ALGORITHM
  nccl,  // like `automatic` no algorithm but a choice: what NCCL would take (nccl_choice.h)
};
// The --collective word: "auto", "ring", "bidirectional.whole".
const char* name(CollectiveAlgorithm algorithm);
Result<CollectiveAlgorithm> parse_collective_algorithm(std::string_view text);

struct GroupAxis {
  int32_t size = 1;
  bool wraps = true;
  bool operator==(const GroupAxis&) const = default;
};

// How the ranks of a group are linked.
struct GroupTopology {
  bool wraps = true;       // the last rank is a neighbour of the first
  bool all_pairs = false;  // a switch or full mesh: no neighbours needed
  // The mesh axes that the group spans, slowest first (their sizes multiply to the ranks); empty: one axis of
  // all ranks that closes as `wraps` says.
  std::vector<GroupAxis> axes = {};
  // Ranks of one node of a two-level machine, node after node; 0: one level.
  int32_t node = 0;
  // Where rank 0 stands on its (only) axis: groups of a broadcast list their root first and go on round the
  // axis from it.
  int32_t first = 0;
  // Into how many slices the hierarchical algorithm cuts each shard, so that nodes and network work on
  // different ones at once.
  int32_t level_slices = 1;
  bool operator==(const GroupTopology&) const = default;
};

// `bytes`: of the whole array (gathered, reduced, sent by a root, or all that is exchanged); it sets only
// into how many segments pipelines (chain, tree) are cut: one per kSegmentBytes, at most kMostSegments.
// Refuses what is not legal ("doubling needs a power of two of devices, got 6 devices on one axis";
// "collective-broadcast goes by ring, …"). Permutes are made by permute_schedule. `automatic` stands for
// chosen_algorithm.
inline constexpr int64_t kSegmentBytes = 256 * 1024;
inline constexpr int32_t kMostSegments = 64;
Result<std::shared_ptr<const CollectiveSchedule>> lower(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                                        int32_t ranks, const GroupTopology& topology = {},
                                                        int64_t bytes = 0);
// ragged-all-to-all, directly: sizes[i·ranks + j] elements (rows) go from rank i to rank j. One chunk is one
// element; the whole is all elements of all ranks, those that stay included, by source and, within it,
// distance (j - i mod ranks).
Result<std::shared_ptr<const CollectiveSchedule>> lower_ragged(const std::vector<int64_t>& sizes,
                                                               int32_t ranks);

// The words that are legal for a kind of collective, whatever the ranks; "ring, bidirectional, …".
std::vector<CollectiveAlgorithm> algorithms_for(CollectiveKind kind);
std::string algorithm_words(CollectiveKind kind);

// What `automatic` and `nccl` stand for when nothing but the topology is known; every other word stands for
// itself.
CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm asked, int32_t ranks, const GroupTopology& topology);

}  // namespace shardscope::inline collectives
