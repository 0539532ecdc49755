// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/machine/large_pages.h"
#include "engine/collectives/chunk_cut.h"
#include "engine/collectives/schedule.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

// One transfer of a step that is under way. Fills one cache line.
struct alignas(64) Cell {
  Moment ready;        // to ask for its link; once it is on its way, to be at its target
  int32_t target = 0;  // rank
  int32_t chunk = 0;
  int32_t count = 0;    // 0: no transfer, nor behind it
  int16_t pending = 0;  // what it still waits for
  int8_t direction = 0;
  bool adds : 1 = false;
  bool waits_for_operand : 1 = false;
  bool waits_for_earlier : 1 = false;
};

// Of whom a run is: the group's devices by rank, and how it takes part.
struct RunMembers {
  const std::vector<int32_t>* devices = nullptr;
  // A rank takes part only once its own operand is ready, and is done only when it has sent everything.
  bool in_order = false;
  // >= 0: this rank stands for all of them, which do the same at the same times, turned along `axes` (sizes
  // of what the ranks span, slowest first; empty: one axis).
  int32_t only = -1;
  const std::vector<int32_t>* axes = nullptr;

  // Not null: of the ranks these are played, for one step, and by rank which of them stands for it.
  const std::vector<int32_t>* played = nullptr;
  const std::vector<int32_t>* places = nullptr;
  // By rank the last step in which it takes part (see last_steps); empty: of each rank the last of all.
  const std::vector<int32_t>* last_steps = nullptr;

  bool all() const { return only < 0 && played == nullptr; }
  size_t count(int32_t ranks) const {
    if (only >= 0) return 1;
    return played == nullptr ? static_cast<size_t>(ranks) : played->size();
  }
  size_t place(int32_t rank) const {
    if (only >= 0) return 0;
    return static_cast<size_t>(places == nullptr ? rank : (*places)[static_cast<size_t>(rank)]);
  }
  int32_t rank_at(size_t at) const {
    if (only >= 0) return only;
    return played == nullptr ? static_cast<int32_t>(at) : (*played)[at];
  }
};

// By rank the last step in which something comes to it, or (in order) goes from it: when it has its result.
// Empty: of each rank that is the last of all.
std::vector<int32_t> last_steps(const CollectiveSchedule& schedule, bool in_order);

// A collective in one group while it runs: a window of steps, from the oldest with a transfer that has not
// arrived to the one after the newest with one that has started. A step's transfers are asked for no earlier
// than the first of the step before starts. Slots [rank << shift, (rank + 1) << shift) of a step are what a
// rank sends. What a transfer waits for is CollectiveSchedule::dependency.
class CollectiveRun {
 public:
  // What has become ready by a call: transfers that may ask for their link, ranks that have their result, or
  // when they will.
  // Valid until the next call.
  struct Ready {
    struct Start {
      int32_t step, slot, rank;
    };
    struct Finish {
      int32_t rank;
      Moment moment;
    };
    std::vector<Start> starts;
    std::vector<Finish> finishes;
    void clear() {
      starts.clear();
      finishes.clear();
    }
  };

  // The run of a collective; of another one, once it is done. `schedule` outlives it.
  void begin(const CollectiveSchedule& schedule, const RunMembers& group, int64_t whole_bytes);

  const Ready& operand_ready(int32_t rank, const Moment& moment);
  // A transfer of `step` starts. True: it is the first that does, so the step after it is to be made when all
  // that starts at this time has.
  bool starts(int32_t step, const Moment& moment) {
    if (made_ != step + 1 || made_ == steps_) return false;
    const bool first = !begins_;
    if (first) begins_ = moment;
    if (!begins_->ties_with(moment)) begins_->no_earlier_than(moment);
    return first;
  }
  const Ready& make_next();
  // A transfer will be at its target then.
  void arrives_at(int32_t step, int32_t slot, const Moment& arrival) {
    block(step).cells[static_cast<size_t>(slot)].ready = arrival;
  }
  // Its last byte is there; of the last step, or will be: nothing but results waits for it.
  const Ready& arrive(int32_t step, int32_t slot, int32_t target, const Moment& arrival);

  const Cell& cell(int32_t step, int32_t slot) const { return block(step).cells[static_cast<size_t>(slot)]; }
  // Which of what its rank sends in the step.
  int32_t slot_of_rank(int32_t step, int32_t slot) const { return slot & ((1 << block(step).shift) - 1); }
  int32_t device(int32_t rank) const { return (*group_.devices)[static_cast<size_t>(rank)]; }
  // Since when `cell`, which `rank` sends, may be asked for: when the rank had its operand, or now.
  Picoseconds ready_since(const Cell& it, int32_t rank) const {
    const Rank& r = ranks_[group_.place(rank)];
    return r.has_operand ? r.operand.time : it.ready.time;
  }
  // Nothing will come or go any more.
  bool done() const {
    const int32_t ranks = static_cast<int32_t>(ranks_.size());
    return finished_ == ranks && operands_ == ranks && blocks_.empty();
  }
  int64_t bytes(int32_t chunk, int32_t count) const { return bytes_.of(chunk, count); }

 private:
  friend class Locksteps;  // plays steps of it as a whole
  struct Step {
    std::vector<Cell, LargePages<Cell>> cells;
    std::vector<int32_t> last_arrival;     // by rank: a slot of what comes to it, or -1,
    std::vector<int32_t> earlier_arrival;  // by slot: and the others
    std::vector<int32_t> came_chunk;       // by slot, when one stands for all: the chunk that comes to it so
    // Dependency::every_earlier, by rank and stream: what has not come, the latest that has.
    std::vector<int32_t> open_in;
    std::vector<Moment> latest_in;
    int32_t open = 0;  // transfers that have not arrived
    int shift = 0;
  };
  struct Rank {
    Moment operand, latest;
    int32_t open = 0;  // arrivals to come of the steps made so far (in order: sends too)
    bool has_operand = false, receives = false, finished = false;
  };
  // Dependency::every_earlier, of a rank and stream: all that comes in this many steps is there.
  struct Through {
    int32_t steps = 0;
    Moment latest;
  };
  Step& block(int32_t step) { return blocks_[static_cast<size_t>(step - first_step_)]; }
  const Step& block(int32_t step) const { return blocks_[static_cast<size_t>(step - first_step_)]; }
  bool every_earlier() const { return schedule_->dependency() == Dependency::every_earlier; }
  void make_step(const Moment& begins);
  void add_transfer(const Transfer& transfer, int32_t slot, Step& now, const Step* before,
                    const Moment& begins);
  void find_came_chunks(int32_t step, Step& now);
  size_t stream(size_t place, int32_t chunk) const;
  void advance(size_t stream);
  void pass_on(const Step& now, const Cell& cell, int32_t step, int32_t slot, const Moment& arrival);
  void release(Cell& cell, int32_t step, int32_t slot, int32_t rank, const Moment& moment) {
    cell.ready.no_earlier_than(moment);
    if (--cell.pending == 0) ready_.starts.push_back({step, slot, rank});
  }
  void check_finished(size_t place);
  void retire();

  const CollectiveSchedule* schedule_ = nullptr;
  RunMembers group_;
  ChunkCut bytes_{0, 1, 1};
  int32_t steps_ = 0;
  int32_t made_ = 0;        // steps made so far
  int32_t first_step_ = 0;  // of blocks_
  int32_t finished_ = 0;
  int32_t operands_ = 0;          // ranks whose own operand is ready
  std::optional<Moment> begins_;  // the next step, by those of the newest that start now
  std::vector<Step> blocks_;
  std::vector<Step> spare_;
  std::vector<Rank> ranks_;
  std::vector<Through> through_;  // by rank and stream
  std::vector<Transfer> transfers_;
  Ready ready_;
};

}  // namespace shardscope::inline scheduler
