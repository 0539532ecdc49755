// SPDX-License-Identifier: Apache-2.0
// The steady state of a loop, found in what was played of a few of its rounds.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/schedule/loops/loop_plan.h"
#include "engine/schedule/loops/written_rounds.h"

namespace shardscope {

// What one period of a loop adds: so many rounds of it.
struct Period {
  int64_t rounds = 0;
  Moment distance;                     // by how much all that comes after it comes later
  size_t begin = 0, end = 0;           // the events played in it, as the trace lists them
  Picoseconds from = 0;                // when what devices do and hold repeats
  std::vector<Picoseconds> comm, any;  // by device: time covered by transfers; by those or products
};

// A simulator's next state follows from its present one, so what it does from one time on it does again a
// period later, for as long as rounds like those come, if it then is in the same state but for the period.
// What state it is in at a time follows from what was played before it: of the rounds that are not over, of
// those before them that rounds may wait for, and of what lanes served last. It is the same
// where all of that is, each time and each part of it (what it consists of) a period later.
class SteadyState {
 public:
  SteadyState(const LoopPlan& loops, const WrittenRounds& written, const RoundsTrace& trace);
  // Of the rounds that a block repeats; none: not seen in so few of them.
  std::optional<Period> of(size_t block) const;

 private:
  // When something of works was asked for first, played first and last; the first start and last end of it,
  // and when what it makes is there.
  struct Extent {
    Picoseconds asked, first_played, last_played = -1, start, end = -1, first_done, last_done = -1;
    Extent();
    void add(const Extent& other);
  };
  // Rounds [begin, end) of a block, of which each is like the one a period later.
  struct Like {
    size_t block = 0;
    int64_t begin = 0, end = 0, period = 0;
    Moment distance;
  };
  // Extents of all rounds before the one, from the one on, and of all other works.
  struct Around {
    std::vector<Extent> before, from, rounds, others;
  };
  // From `at` on until `until` rounds repeat.
  struct Stretch {
    Picoseconds at = 0, until = 0;
  };
  void measure_works();
  bool waits_for_rounds(const LoopBlock& block) const;
  std::optional<Like> like(size_t block, int64_t period) const;
  bool are_like(const Like& like, int64_t round) const;
  Around around(size_t block) const;
  std::optional<Stretch> stretch(const Like& like, const Around& all, int64_t round) const;
  bool waits_for_no_constant(const Like& like, const Around& all) const;
  bool lanes_repeat(const Like& like, const Stretch& stretch) const;
  std::optional<Picoseconds> window(const Like& like, const Around& all, const Stretch& stretch) const;
  Period period(const Like& like, const Stretch& stretch, Picoseconds window) const;
  int64_t reach_of(size_t block) const { return loops_.blocks[block].reach; }
  int64_t round_of(size_t block, int32_t work) const;
  size_t first_of(size_t block, int64_t round) const;
  const std::vector<size_t>& events_of(size_t work) const { return events_[work]; }

  const LoopPlan& loops_;
  const WrittenRounds& written_;
  const RoundsTrace& trace_;
  size_t devices_;
  std::vector<Extent> works_;                // by number
  std::vector<std::vector<size_t>> events_;  // by number, of the trace
};

}  // namespace shardscope
