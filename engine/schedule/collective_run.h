// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/collectives/collective.h"
#include "engine/schedule/moment.h"

namespace shardscope {

// One transfer of a step that is under way. Fills one cache line.
struct alignas(64) Cell {
  Moment ready;
  int32_t target = 0;  // rank
  int32_t chunk = 0;
  int32_t count = 0;
  int8_t pending = 0;  // what it still waits for
  int8_t direction = 0;
  uint8_t next = 0;  // bit k: slot 2·target + k of the following step sends on what this one brings
  bool adds : 1 = false;
  bool waits_for_operand : 1 = false;
};

// A collective in one group while it runs: a window of steps, from the oldest with a transfer that has not
// started to the one after the newest with one that has. Slot 2r and 2r+1 of a step are what rank r sends;
// rings have no more. A transfer waits for what came to its source in the step before, and for its source's
// own operand if it sends that (nothing came) or adds to it.
class CollectiveRun {
 public:
  // What has become ready by a call: transfers that may ask for their link, ranks that have their result.
  // Valid until the next call.
  struct Ready {
    struct Start {
      int32_t step, slot;
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

  // `devices`: of the ranks. `in_order`: a rank takes part only once its own operand is ready, and is done
  // only when it has sent everything.
  CollectiveRun(std::shared_ptr<const CollectiveSchedule> schedule, const std::vector<int32_t>& devices,
                bool permutes, bool in_order, int64_t whole_bytes);

  const Ready& operand_ready(int32_t rank, const Moment& moment);
  // A transfer of `step` starts: the step after it is made if it is not yet there.
  const Ready& start(int32_t step) {
    ready_.clear();
    if (made_ == step + 1 && made_ < steps_) expand();
    return ready_;
  }
  // Its last byte arrives at `arrival` (known as soon as it has its last link).
  const Ready& arrive(int32_t step, int32_t slot, const Moment& arrival);

  const Cell& cell(int32_t step, int32_t slot) const { return block(step).cells[static_cast<size_t>(slot)]; }
  int32_t device(int32_t rank) const { return devices_[static_cast<size_t>(rank)]; }
  bool has_operand(int32_t rank) const { return ranks_[static_cast<size_t>(rank)].has_operand; }
  // Since when `cell`, which `rank` sends, may be asked for: its own time or that of the rank's operand.
  Picoseconds ready_since(const Cell& it, int32_t rank) const {
    const Rank& r = ranks_[static_cast<size_t>(rank)];
    return r.has_operand ? std::min(r.operand.time, it.ready.time) : it.ready.time;
  }
  // Nothing will come or go any more.
  bool done() const {
    const int32_t ranks = static_cast<int32_t>(ranks_.size());
    return finished_ == ranks && operands_ == ranks && blocks_.empty();
  }
  int64_t bytes(int32_t chunk, int32_t count) const {
    return unit_bytes_ >= 0 ? unit_bytes_ * count : uneven_bytes(chunk, count);
  }

 private:
  struct Step {
    std::vector<Cell> cells;
    std::vector<int32_t> arrivals;  // slots of what comes to rank r: [2r], [2r+1], or -1
    int32_t open = 0;               // transfers that have not arrived
  };
  struct Rank {
    Moment operand, latest;
    int32_t open = 0;  // arrivals to come of the steps made so far (in order: sends too)
    bool has_operand = false, receives = false, finished = false;
  };
  Step& block(int32_t step) { return blocks_[static_cast<size_t>(step - first_step_)]; }
  const Step& block(int32_t step) const { return blocks_[static_cast<size_t>(step - first_step_)]; }
  void expand();
  void add_transfer(const Transfer& transfer, int32_t slot, Step& now, Step* before);
  void release(Cell& cell, int32_t step, int32_t slot, const Moment& moment) {
    cell.ready.no_earlier_than(moment);
    if (--cell.pending == 0) ready_.starts.push_back({step, slot});
  }
  void check_finished(int32_t rank);
  void retire();
  int64_t uneven_bytes(int32_t chunk, int32_t count) const;
  int64_t offset(int64_t chunk) const;

  std::shared_ptr<const CollectiveSchedule> schedule_;
  const std::vector<int32_t>& devices_;
  bool permutes_, in_order_;
  int64_t whole_bytes_;
  int64_t unit_bytes_ = -1;  // of each chunk, when all are equal
  int32_t steps_ = 0;
  int32_t made_ = 0;        // steps made so far
  int32_t first_step_ = 0;  // of blocks_
  int32_t finished_ = 0;
  int32_t operands_ = 0;  // ranks whose own operand is ready
  std::vector<Step> blocks_;
  std::vector<Step> spare_;
  std::vector<Rank> ranks_;
  std::vector<Transfer> transfers_;
  Ready ready_;
};

}  // namespace shardscope
