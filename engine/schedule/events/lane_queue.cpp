// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/events/lane_queue.h"

#include <algorithm>

namespace shardscope {

LaneQueue::Waiting::Waiting(const LaneRequest& of)
    : ready(of.ready),
      source_work(static_cast<uint64_t>(of.source) << 32 | static_cast<uint32_t>(of.work)),
      step_chunk(static_cast<uint64_t>(of.step) << 32 | static_cast<uint32_t>(of.chunk)),
      slot(of.slot),
      run(of.run),
      next(of.next),
      flight(of.kind == LaneRequest::Kind::compute ? kComputes : of.flight) {}

LaneRequest LaneQueue::Waiting::request(int32_t lane) const {
  LaneRequest out;
  out.ready = ready;
  out.source = static_cast<int32_t>(source_work >> 32);
  out.work = static_cast<int32_t>(source_work);
  out.step = static_cast<int32_t>(step_chunk >> 32);
  out.chunk = static_cast<int32_t>(step_chunk);
  out.slot = slot;
  out.lane = lane;
  out.run = run;
  out.next = next;
  const bool computes = flight == kComputes;
  out.flight = computes ? -1 : flight;
  out.kind = computes ? LaneRequest::Kind::compute : LaneRequest::Kind::transfer;
  return out;
}

LaneRequest LaneQueue::pop(int32_t lane) {
  const LaneRequest first = front(lane);
  const Waiting last = all_.back();
  all_.pop_back();
  const size_t count = all_.size();
  // The hole goes down to where the last one fits.
  for (size_t hole = 0; count > 0;) {
    const size_t from = hole * kBranches + 1;
    size_t next = from;
    const size_t end = std::min(from + kBranches, count);
    for (size_t child = from + 1; child < end; ++child)
      if (all_[child].before(all_[next])) next = child;
    if (from >= count || !all_[next].before(last)) {
      all_[hole] = last;
      break;
    }
    all_[hole] = all_[next];
    hole = next;
  }
  return first;
}

}  // namespace shardscope
