// SPDX-License-Identifier: Apache-2.0
// The one lowering of collectives to transfers, used by timing and by the ring view. Rules: the tables of
// algorithms (ring, bidirectional) as executed by MPI and NCCL libraries; see each algorithm's file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace shardscope {

enum class CollectiveKind { all_gather, reduce_scatter, all_reduce, all_to_all, broadcast, reduce, permute };
const char* name(CollectiveKind kind);  // HLO's opcode text

enum class CollectiveAlgorithm {
  automatic,
  ring,
  bidirectional,
  bidirectional_whole,
  doubling,
  halving_doubling,
  bruck,
  direct,
  tree,
  binomial,
  chain,
  torus,
  hierarchical,
};
const char* name(
    CollectiveAlgorithm algorithm);  // the --collective word: "auto", "ring", "bidirectional.whole"
Result<CollectiveAlgorithm> parse_collective_algorithm(std::string_view text);

// One message of one step. Ranks are places in the group. `chunk` counts in units of 1/chunks of the whole
// array (gathered or reduced); `count` neighbouring chunks travel together, modulo chunks.
struct Transfer {
  int32_t step = 0;
  int32_t source = 0;
  int32_t target = 0;
  int32_t chunk = 0;
  int32_t count = 1;
  int8_t direction = 0;  // +1: up (rank + 1) round the ring, -1: down, 0: shortest way
  bool adds = false;     // the receiver adds it to what it holds, else it keeps it
  bool operator==(const Transfer&) const = default;
};

// A collective on `ranks` devices, as steps of simultaneous transfers; made a step at a time, so a big ring
// is never held whole. A transfer of step s sends what its source held before the step: its own data and what
// came in earlier steps. Immutable.
class CollectiveSchedule {
 public:
  virtual ~CollectiveSchedule() = default;
  virtual int32_t ranks() const = 0;
  virtual int32_t chunks() const = 0;  // into how many equal parts the whole array is cut
  virtual int32_t steps() const = 0;
  // Appends the transfers of `step`, by source rank.
  virtual void append_step(int32_t step, std::vector<Transfer>& out) const = 0;
  // The same on every rank: rank r does at step s what rank 0 does, shifted by r (chunks shift by
  // chunks/ranks).
  virtual bool rotation_symmetric() const = 0;
};

// How the ranks of a group are linked.
struct GroupTopology {
  bool wraps = true;       // the last rank is a neighbour of the first
  bool all_pairs = false;  // a switch or full mesh: no neighbours needed
};

// Refuses what is not legal (halving on 3 ranks, …) and, until their issue, algorithms that do not exist yet.
// `automatic` is bidirectional on a ring of more than 2 that wraps, else ring.
Result<std::shared_ptr<const CollectiveSchedule>> lower(CollectiveKind kind, CollectiveAlgorithm algorithm,
                                                        int32_t ranks, GroupTopology topology = {});
// What `automatic` stands for on such a group; every other word stands for itself.
CollectiveAlgorithm chosen_algorithm(CollectiveAlgorithm asked, int32_t ranks, GroupTopology topology);

}  // namespace shardscope
