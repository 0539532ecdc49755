// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/collective_kind.h"

namespace shardscope::inline collectives {

// One message of one step. Ranks are places in the group. `chunk` counts in units of 1/chunks of the whole
// array; `count` chunks travel together, neighbours modulo chunks unless append_chunks says others.
struct Transfer {
  int32_t step = 0;
  int32_t source = 0;
  int32_t target = 0;
  int32_t chunk = 0;
  int32_t count = 1;
  int8_t direction = 0;  // +1: up (rank + 1) round the ring, -1: down, 0: shortest way, ties up
  bool adds = false;     // the receiver adds it to what it holds, else it keeps it
  bool operator==(const Transfer&) const = default;
};

// Which arrivals at its source a transfer of step s waits for.
//   previous_step: those of step s-1 that share a chunk with it. It waits for its source's own operand too if
//     there is none such, or if one of them adds (the source's own part is in the sum).
//   every_earlier: those of all steps before s in its stream, and its source's own operand unless the
//     collective is a broadcast and the source is not rank 0. (The exchange algorithms: MPI's sendrecv.)
enum class Dependency { previous_step, every_earlier };

// A collective on `ranks` devices, as steps of simultaneous transfers; made a rank and a step at a time, so a
// big one is never held whole. A rank may send and receive any number of messages in a step. A transfer of
// step s sends what its source held before the step: its own data and what came in earlier steps. Immutable.
//
// Chunks: the whole is cut into `chunks` equal parts. all-gather: chunk c starts on rank home(c), every rank
// ends with all. reduce-scatter: chunk c ends on rank home(c). all-reduce, broadcast, reduce: parts of the
// whole array. all-to-all: chunk c goes from rank home(c) to rank goal(c); chunks / ranks² of them, in the
// order of their numbers, make what one rank sends to another. permute: chunk r is what rank r sends.
class CollectiveSchedule {
 public:
  struct Outline {
    CollectiveKind kind = CollectiveKind::all_gather;
    int32_t ranks = 1;
    int32_t chunks = 1;
    int32_t steps = 0;
    Dependency dependency = Dependency::previous_step;
    // The chunks are `streams` equal ranges that have nothing to do with each other (one per tree or colour).
    int32_t streams = 1;
    // Rotating the ranks by one place along any axis of the topology (of all ranks, if it names none) gives
    // the same transfers with the chunks that belong to the rotated ranks; what rank r sends stands in the
    // order in which rank 0 sends the like.
    bool rotation_symmetric = false;
    bool operator==(const Outline&) const = default;
  };

  explicit CollectiveSchedule(const Outline& outline) : outline_(outline) {}
  virtual ~CollectiveSchedule() = default;
  CollectiveKind kind() const { return outline_.kind; }
  int32_t ranks() const { return outline_.ranks; }
  int32_t chunks() const { return outline_.chunks; }
  int32_t steps() const { return outline_.steps; }
  Dependency dependency() const { return outline_.dependency; }
  int32_t streams() const { return outline_.streams; }
  int32_t stream_of(int32_t chunk) const { return chunk / (outline_.chunks / outline_.streams); }
  bool rotation_symmetric() const { return outline_.rotation_symmetric || outline_.steps == 0; }
  const Outline& outline() const { return outline_; }

  // Appends what rank `source` sends in `step`.
  virtual void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const = 0;
  // Appends the transfers of `step`, by source.
  virtual void append_step(int32_t step, std::vector<Transfer>& out) const;
  // The rank whose shard the chunk is a part of (all-to-all: whose operand).
  virtual int32_t home(int32_t chunk) const;
  // all-to-all: the rank that it is for. Chunk (s·ranks + d)·parts + part goes from rank s to rank s + d mod
  // ranks, unless the algorithm counts otherwise.
  virtual int32_t goal(int32_t chunk) const;
  // Appends the chunks of a transfer of this schedule, the first of which is Transfer::chunk.
  virtual void append_chunks(const Transfer& transfer, std::vector<int32_t>& out) const;

 private:
  Outline outline_;
};

}  // namespace shardscope::inline collectives
