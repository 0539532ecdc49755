// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/recorder.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline scheduler {

int64_t EventRecorder::add(Event& event, int64_t cause, const Origin& origin) {
  const int64_t place = symmetry_ == nullptr ? events_.size() : static_cast<int64_t>(one_.size());
  if (most_events_ > 0 && place >= most_events_) {
    keep_ = false;
    gave_up_ = true;
    events_ = EventOrder(devices_);
    one_ = {};
    return -1;
  }
  event.cause = EventRef::place(cause);
  if (symmetry_ == nullptr) {
    events_.add(event);
  } else {
    one_.push_back({event, origin, cause < 0 ? 0 : EventRef::from(cause)});
  }
  return EventRef::make(place, event.lane, origin.slot);
}

void EventRecorder::expect(int64_t events) {
  if (keep_ && symmetry_ == nullptr)
    events_.expect(most_events_ > 0 ? std::min(events, most_events_) : events);
}

void EventRecorder::finish(const WorkPlan& plan, Timeline& timeline) {
  timeline.total = last_.end.time;
  timeline.event_count = symmetry_ == nullptr ? event_count_ : event_count_ * symmetry_->turns();
  std::vector<DeviceTotals> totals;
  for (const DeviceTally& sums : sums_) totals.push_back(sums.in(timeline.total));
  for (int32_t d = 0; d < devices_; ++d)
    timeline.totals.push_back(totals[static_cast<size_t>(symmetry_ == nullptr ? d : symmetry_->place(d))]);
  CriticalPath& path = timeline.critical_path;
  path = path_to(last_.end);
  if (!keep_) return;
  if (symmetry_ != nullptr) unfold(plan);
  timeline.events = events_.finish();
  if (last_.end.event < 0) return;
  int64_t last = EventRef::place(last_.end.event);
  if (symmetry_ != nullptr) last += begins_[static_cast<size_t>(last)] * (symmetry_->turns() - 1);
  for (int32_t e = events_.place_of(last); e >= 0; e = timeline.events[static_cast<size_t>(e)].cause)
    path.events.push_back(e);
  std::reverse(path.events.begin(), path.events.end());
}

// An event as it is on the device that a turn brings the one played to, all but its cause.
Event EventRecorder::turned(int32_t by, const One& one, const WorkPlan& plan) {
  const Origin& origin = one.origin;
  Event e = one.event;
  const int32_t device =
      symmetry_->turned(symmetry_->played()[static_cast<size_t>(symmetry_->place(e.device))], by);
  const int32_t onward = symmetry_->between(e.device, device);
  e.device = device;
  e.lane = static_cast<int16_t>(symmetry_->lane_on(e.lane, device));
  if (e.kind != EventKind::transfer || onward == 0) return e;
  const Work& work = plan.works[static_cast<size_t>(origin.work)];
  const int32_t source = symmetry_->turned(origin.source, onward);
  sent_.clear();
  work.schedule->append_from(origin.step, work.groups->rank_of[static_cast<size_t>(source)], sent_);
  e.peer = symmetry_->turned(e.peer, onward);
  e.chunk = sent_[static_cast<size_t>(origin.slot)].chunk;
  return e;
}

// From the events of the devices played those of all, what starts together turn by turn: of `count` events
// from `begin` on, event e of turn t is the begin · turns + t · count + e - begin-th.
void EventRecorder::unfold(const WorkPlan& plan) {
  const int32_t turns = symmetry_->turns();
  events_.expect(static_cast<int64_t>(one_.size()) * turns);
  counts_.resize(one_.size());
  for (size_t begin = 0; begin < one_.size();) {
    size_t end = begin + 1;
    while (end < one_.size() && one_[end].event.start == one_[begin].event.start) ++end;
    begins_.resize(end, static_cast<int32_t>(begin));
    counts_[begin] = static_cast<int32_t>(end - begin);
    for (int32_t turn = 0; turn < turns; ++turn) {
      const int32_t by = symmetry_->turn(turn);
      for (size_t i = begin; i < end; ++i) {
        Event e = turned(by, one_[i], plan);
        if (e.cause >= 0) {
          const int64_t first = begins_[static_cast<size_t>(e.cause)];
          const int64_t of = symmetry_->turn_number(symmetry_->turned(by, one_[i].from));
          e.cause = static_cast<int32_t>(first * turns + of * counts_[static_cast<size_t>(first)] +
                                         (e.cause - first));
        }
        events_.add(e);
      }
    }
    begin = end;
  }
}

}  // namespace shardscope::inline scheduler
