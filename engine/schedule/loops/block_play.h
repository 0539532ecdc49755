// SPDX-License-Identifier: Apache-2.0
// Plays the works of a loop plan block after block, each with the clocks that the blocks before it left.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/plan/loops/loop_plan.h"
#include "engine/schedule/loops/written_rounds.h"
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

// How it is seen that a lane serves a block after all before it: nothing of it was asked for until the lane
// had begun the last of those; or their keys are smaller, and the lane was never idle waiting for one of them
// after the block first asked.
enum class OrderedBy : uint8_t { unused, by_time, by_key };

// What OrderedBy is seen by of a lane: when it last had waited for what it took, the latest key that it had
// in its queue and whose that was (-2: of several), and when it last began something.
struct LaneUse {
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::min() / 4;
  Picoseconds waited = kNever, key = kNever, source = -1, served = kNever;
  void ask(Picoseconds its_key, Picoseconds its_source) {
    if (its_key == key && its_source != source) source = -2;
    if (its_key > key) source = its_source;
    key = std::max(key, its_key);
  }
};

// All that later works look at: by number since when lanes are free, and how they were used; when works of
// the plan were done, by work · devices + device.
struct Clocks {
  std::vector<Moment> lanes, done;
  std::vector<LaneUse> uses;
  // As plain numbers, and back.
  std::vector<int64_t> numbers() const;
  void set(const std::vector<int64_t>& numbers);
};

// What happened in a block, whose works count from its begin.
struct BlockPlay : RoundsPlayed {
  PlayWatch watch;
  std::vector<WorkSpan> spans;   // by work · devices + device
  std::vector<OrderedBy> order;  // by lane
  // All its times, in an order that does not depend on them.
  std::vector<int64_t> times() const;
  // By the same decisions.
  bool like(const BlockPlay& other) const;
};

class BlockPlayer {
 public:
  BlockPlayer(const LoopPlan& loops, const Fabric& fabric, bool overlap, std::stop_token stop)
      : loops_(loops), fabric_(fabric), overlap_(overlap), stop_(std::move(stop)) {}
  Clocks start() const;
  // Works [begin, end) of the plan; `clocks` go on. Of a block that repeats one round, which then is the one
  // before the next. False: a lane would have served some of its works before those of earlier blocks.
  Result<bool> play(const LoopBlock& block, Clocks& clocks, BlockPlay& out);
  // What comes after a block that repeats one round finds its last ones in the place of it and of those
  // behind it.
  void leave(const LoopBlock& block, Clocks& clocks) const;
  int32_t devices() const { return fabric_.devices(); }

 private:
  const WorkPlan& part(const LoopBlock& block);
  PlayStart starts(const LoopBlock& block, const Clocks& clocks) const;
  static std::optional<std::vector<OrderedBy>> in_order(const PlayWatch& watch, Clocks& clocks);

  const LoopPlan& loops_;
  const Fabric& fabric_;
  bool overlap_;
  std::stop_token stop_;
  WorkPlan part_;  // of the block that was played last
  size_t part_of_ = SIZE_MAX;
};

}  // namespace shardscope::inline scheduler
