// SPDX-License-Identifier: Apache-2.0
// The steady state of a loop, found in what was played of a few of its rounds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/run/spans.h"
#include "engine/schedule/loops/loop_plan.h"
#include "engine/schedule/loops/written_rounds.h"

namespace shardscope::inline scheduler {

// What one period of a loop adds: so many rounds of it.
struct Period {
  int64_t rounds = 0;
  Moment distance;                    // by how much all that comes after it comes later
  Picoseconds from = 0;               // it begins behind this time
  size_t begin = 0, end = 0;          // the events played in it, as the trace lists them
  std::vector<DeviceTotals> devices;  // all but flops and memory
};

// A simulator looks at nothing but the past, so what it does from a time on follows from what is under way
// then: works that some of what they wait for has come to, and which are not over. All of that happened since
// the oldest of these was reached. Where the same happened a period later, each time and each part of it
// (what it consists of) by the same distance, all that follows does, as long as there are rounds.
class SteadyState {
 public:
  SteadyState(const LoopPlan& loops, const WrittenRounds& written, const RoundsTrace& trace);
  // Of the rounds that a block repeats; none: not seen in so few of them.
  std::optional<Period> of(size_t block) const;

 private:
  // Of a work, over all devices: when the first of the rounds that it waits for reached it, when it first had
  // all that it waits for, and when nothing of it was left.
  struct Extent {
    Picoseconds reached, asked, over = 0;
    Extent();
  };
  // The time at which a round's first work is done, and that work's number.
  struct Cut {
    size_t first = 0;
    Moment at;
  };
  // What happened, and when, counted from a cut.
  using Happened = std::array<int64_t, 20>;
  void measure_works();
  Cut cut(size_t block, int64_t round) const;
  bool ends_alike(size_t block, const Cut& now, const Cut& next) const;
  std::optional<Picoseconds> oldest(size_t block, const Cut& now, const Cut& next) const;
  std::vector<Happened> since(Picoseconds begin, const Cut& until) const;
  Period period(int64_t rounds, const Cut& now, const Moment& distance) const;
  size_t begin_of(size_t block) const;
  size_t end_of(size_t block) const;

  const LoopPlan& loops_;
  const WrittenRounds& written_;
  const RoundsTrace& trace_;
  size_t devices_;
  std::vector<Extent> works_;       // by number
  std::vector<size_t> done_order_;  // places in RoundsTrace::done, by time
};

}  // namespace shardscope::inline scheduler
