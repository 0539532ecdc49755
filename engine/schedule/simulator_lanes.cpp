// SPDX-License-Identifier: Apache-2.0
// What asks for lanes, and what these take.
#include "engine/schedule/simulator.h"

namespace shardscope::inline scheduler {

namespace {

constexpr size_t kAhead = 4;  // lanes from one look ahead to the next

// Equally old requests of several sources, or by the chunks of one: which is first differs round the ring.
// What one rank has for others is numbered by their distance; the chunks of a stream come before those of the
// next one on every rank. Where all ranks are played, they stand in the same order among all that they stand
// for.
bool chooses_by_device(const LaneRequest& a, const LaneRequest& b, const WorkPlan& plan,
                       const Symmetry& symmetry) {
  if (a.ready != b.ready) return false;
  const auto all_played = [&](int32_t work) {
    return plan.work(work).kind != WorkKind::collective || symmetry.ranks_of(work) == Symmetry::Ranks::each;
  };
  if (all_played(a.work) && all_played(b.work)) return false;
  if (a.flight >= 0 || b.flight >= 0) return true;
  if (a.work != b.work || a.step != b.step || a.chunk == b.chunk) return false;
  const CollectiveSchedule& schedule = *plan.work(a.work).schedule;
  if (schedule.stream_of(a.chunk) != schedule.stream_of(b.chunk)) return false;
  return schedule.kind() != CollectiveKind::all_to_all || schedule.home(a.chunk) != schedule.home(b.chunk);
}

}  // namespace

// What lanes behind the `at`-th to serve will read: a contended exchange has more on its way than caches
// hold.
void Simulator::fetch_ahead(size_t at) const {
  const auto lane = [&](size_t looks) -> const LaneState* {
    const size_t i = at + looks * kAhead;
    return i < touched_.size() ? &lanes_[static_cast<size_t>(touched_[i])] : nullptr;
  };
  if (const LaneState* far = lane(4); far != nullptr) __builtin_prefetch(far);
  if (const LaneState* it = lane(3); it != nullptr && it->has_waiting) it->waiting.fetch();
  const LaneState* next = lane(1);
  if (next == nullptr || next->free.time > now_ || (next->only < 0 && !next->has_waiting)) return;
  const LaneRequest* request = next->only >= 0 ? &asks_[static_cast<size_t>(next->only)] : nullptr;
  LaneRequest front;
  if (request == nullptr) {
    front = next->waiting.front(touched_[at + kAhead]);
    request = &front;
  }
  if (request->flight >= 0) {
    __builtin_prefetch(&flights_[request->flight]);
  } else if (request->kind == LaneRequest::Kind::transfer) {
    __builtin_prefetch(&runs_[static_cast<size_t>(request->run)]->cell(request->step, request->slot));
  }
}

// All that is asked for at one time is there before a lane chooses.
void Simulator::serve_all() {
  for (int32_t i = 0; i < static_cast<int32_t>(asks_.size()); ++i) ask(i);
  serving_ = true;
  for (size_t i = 0; i < touched_.size(); ++i) {
    fetch_ahead(i);
    serve(touched_[i]);
  }
  for (const Begun& it : begun_) take(it.work, it.run, runs_[static_cast<size_t>(it.run)]->make_next());
  begun_.clear();
  serving_ = false;
  touched_.clear();
}

// What asks for a lane, to be filled in at once: now, or when lanes have chosen, once more at this time.
LaneRequest& Simulator::new_request() {
  return serving_ ? calendar_.push(now_) : asks_.emplace_back();
}

void Simulator::ask(int32_t number) {
  const LaneRequest& request = asks_[static_cast<size_t>(number)];
  if (watch_ != nullptr) watch_->asked(request, now_);
  LaneState& lane = lanes_[static_cast<size_t>(request.lane)];
  if (!lane.touched) touched_.push_back(request.lane);
  lane.touched = true;
  if (request.kind == LaneRequest::Kind::wake) {
    lane.wakes = false;
  } else if (lane.only < 0 && !lane.has_waiting) {
    lane.only = number;
  } else {
    if (lane.only >= 0) lane.wait_for(asks_[static_cast<size_t>(lane.only)], store_);
    lane.only = -1;
    lane.wait_for(request, store_);
  }
}

void Simulator::serve(int32_t number) {
  const auto play = [&](const LaneRequest& request) {
    if (watch_ != nullptr)
      watch_->served_by(request, now_, lanes_[static_cast<size_t>(request.lane)].free.time);
    if (request.kind == LaneRequest::Kind::compute) {
      compute(request);
    } else {
      transfer(request);
    }
  };
  LaneState* lane = &lanes_[static_cast<size_t>(number)];
  lane->touched = false;
  if (lane->only >= 0) {
    const LaneRequest& request = asks_[static_cast<size_t>(lane->only)];
    lane->only = -1;
    if (lane->free.time <= now_) return play(request);
    lane->wait_for(request, store_);
  }
  while (lane->has_waiting) {
    if (lane->free.time > now_) {
      if (lane->wakes) return;
      lane->wakes = true;
      LaneRequest& wake = calendar_.push(lane->free.time);
      wake.kind = LaneRequest::Kind::wake;
      wake.lane = number;
      return;
    }
    const LaneRequest request = lane->pop(number);
    if (symmetry_ != nullptr && lane->has_waiting &&
        chooses_by_device(request, lane->waiting.front(number), plan_, *symmetry_)) {
      chose_by_device_ = true;
    }
    play(request);
    lane = &lanes_[static_cast<size_t>(number)];  // a new link of a full mesh may have moved them
  }
}

}  // namespace shardscope::inline scheduler
