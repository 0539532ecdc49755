// SPDX-License-Identifier: Apache-2.0
// What lanes have yet to do: when a play that is given up at some time can be given up before.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/hardware/fabric.h"
#include "engine/plan/symmetry.h"
#include "engine/plan/work.h"
#include "engine/schedule/routes.h"

namespace shardscope::inline scheduler {

// By lane, what it will do at least, in all: products and copies, and of messages how long they hold the
// first link on their way, or their port. A lane does one thing after the other, so a play whose lane begins
// something at `start` lasts until all of what is left there has followed.
class LaneLoads {
 public:
  // Nothing is counted where nobody asks to give up, or where chips or links differ. `times`: by work, how
  // often it is played; empty: once each.
  LaneLoads(const WorkPlan& plan, const Fabric& fabric, const Symmetry* symmetry, Routes& routes,
            const std::vector<int64_t>& times = {});

  // A lane begins what holds it so long; of a message that leaves its source, of which work it is.
  void computes(int32_t lane, Picoseconds start, Picoseconds takes) {
    if (!left_.empty()) begins(lane, start, takes);
  }
  void sends(int32_t work, int32_t lane, Picoseconds start, Picoseconds takes) {
    if (!left_.empty() && counts_[static_cast<size_t>(work)]) begins(lane, start, takes);
  }
  // More is left for some lane than there is time for.
  bool is_late() const { return is_late_; }

 private:
  void begins(int32_t lane, Picoseconds start, Picoseconds takes) {
    Picoseconds& left = left_[static_cast<size_t>(lane)];
    is_late_ = is_late_ || left > limit_ - start;
    left -= takes;
  }
  std::vector<int32_t> ranks_of(const CollectiveGroups& groups) const;
  void count_messages(const WorkPlan& plan, const Fabric& fabric, Routes& routes,
                      const std::vector<int64_t>& times);

  Picoseconds limit_;
  std::vector<int32_t> played_;    // devices
  std::vector<Picoseconds> left_;  // by lane; empty: nothing is counted
  std::vector<bool> counts_;       // by work, whether its messages are
  bool is_late_ = false;
};

}  // namespace shardscope::inline scheduler
