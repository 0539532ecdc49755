// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/lockstep.h"

#include "engine/base/check.h"
#include "engine/collectives/chunk_cut.h"

namespace shardscope::inline scheduler {

bool LockstepPattern::suits(const CollectiveSchedule& schedule, const std::vector<int32_t>& axes) {
  return schedule.rotation_symmetric() && schedule.dependency() == Dependency::previous_step &&
         schedule.steps() > 1 && axes.size() <= 1;
}

bool LockstepPattern::read(const CollectiveSchedule& schedule, int32_t step) {
  const auto sent_by_rank_0 = [&](int32_t of, std::vector<Transfer>& transfers, std::vector<Sent>& out) {
    transfers.clear();
    out.clear();
    schedule.append_from(of, 0, transfers);
    for (const Transfer& t : transfers) {
      if (t.count != transfers.front().count) return false;
      out.push_back({t.target, t.direction, t.chunk, -1});
    }
    return true;
  };
  if (!sent_by_rank_0(step, sent_, now_) || !sent_by_rank_0(step + 1, next_, then_)) return false;
  if (sent_.empty() || sent_.size() != next_.size()) return false;
  count_ = sent_.front().count;
  return follow(schedule, step);
}

// Which of rank 0's next messages waits for which of those that reach it, turned from what it sends itself.
bool LockstepPattern::follow(const CollectiveSchedule& schedule, int32_t step) {
  std::vector<bool> waits(next_.size());
  for (size_t k = 0; k < sent_.size(); ++k) {
    come_.clear();
    schedule.append_from(step, schedule.ranks() - now_[k].distance, come_);
    CHECK(k < come_.size() && come_[k].target == 0, "a symmetric schedule turns", step, k);
    for (size_t n = 0; n < next_.size(); ++n) {
      if (!share_a_chunk(come_[k].chunk, come_[k].count, next_[n].chunk, next_[n].count, schedule.chunks()))
        continue;
      if (waits[n] || now_[k].after >= 0) return false;
      waits[n] = true;
      now_[k].after = static_cast<int32_t>(n);
    }
    if (now_[k].after < 0) return false;
  }
  return true;
}

}  // namespace shardscope::inline scheduler
