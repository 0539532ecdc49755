// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/recorder.h"

#include <algorithm>
#include <utility>

namespace shardscope {

int64_t EventRecorder::add(Event& event, int64_t cause, const Origin& origin) {
  const int64_t place = symmetry_ == nullptr ? events_.size() : static_cast<int64_t>(one_.size());
  if (most_events_ > 0 && place >= most_events_) {
    keep_ = false;
    gave_up_ = true;
    events_ = EventOrder(devices_);
    one_ = {};
    origins_ = {};
    from_ = {};
    return -1;
  }
  event.cause = EventRef::place(cause);
  if (symmetry_ == nullptr) {
    events_.add(event);
  } else {
    one_.push_back(event);
    origins_.push_back(origin);
    from_.push_back(cause < 0 ? 0 : EventRef::from(cause));
  }
  return EventRef::make(place, event.lane, origin.slot);
}

void EventRecorder::expect(int64_t events) {
  if (keep_ && symmetry_ == nullptr)
    events_.expect(most_events_ > 0 ? std::min(events, most_events_) : events);
}

void EventRecorder::finish(const WorkPlan& plan, Timeline& timeline) {
  timeline.total = last_.time;
  timeline.event_count = symmetry_ == nullptr ? event_count_ : event_count_ * devices_;
  for (size_t d = 0; d < totals_.size(); ++d) {
    DeviceTotals& t = totals_[d];
    const Picoseconds any = busy_[d].any.total();
    t.comm = busy_[d].comm.total();
    t.exposed = any - t.compute;
    t.idle = timeline.total - any;
  }
  if (symmetry_ != nullptr) totals_.resize(static_cast<size_t>(devices_), DeviceTotals(totals_[0]));
  timeline.totals = std::move(totals_);
  CriticalPath& path = timeline.critical_path;
  path.compute = last_.compute;
  path.memory = last_.memory;
  path.latency = last_.latency;
  path.bandwidth = last_.bandwidth;
  path.overhead = last_.time - last_.compute - last_.memory - last_.latency - last_.bandwidth;
  if (!keep_) return;
  if (symmetry_ != nullptr) unfold(plan);
  timeline.events = events_.finish();
  if (last_.event < 0) return;
  int64_t last = EventRef::place(last_.event);
  if (symmetry_ != nullptr) last += begins_[static_cast<size_t>(last)] * (int64_t{devices_} - 1);
  for (int32_t e = events_.place_of(last); e >= 0; e = timeline.events[static_cast<size_t>(e)].cause)
    path.events.push_back(e);
  std::reverse(path.events.begin(), path.events.end());
}

// An event of the one device as it is on `device`, all but its cause.
Event EventRecorder::on(int32_t device, size_t event, const WorkPlan& plan) {
  const Origin& origin = origins_[event];
  Event e = one_[event];
  e.device = device;
  e.lane = static_cast<int16_t>(symmetry_->lane_on(e.lane, device));
  if (e.kind != EventKind::transfer) return e;
  const Work& work = plan.works[static_cast<size_t>(origin.work)];
  const int32_t source = symmetry_->between(origin.at, device);
  sent_.clear();
  work.schedule->append_from(origin.step, work.groups->rank_of[static_cast<size_t>(source)], sent_);
  e.peer = symmetry_->turned(e.peer, source);
  e.chunk = sent_[static_cast<size_t>(origin.slot)].chunk;
  return e;
}

// From the events of one device those of all, what starts together device by device: of `count` events from
// `begin` on, event e of device d is the begin · devices + d · count + e - begin-th.
void EventRecorder::unfold(const WorkPlan& plan) {
  events_.expect(static_cast<int64_t>(one_.size()) * devices_);
  counts_.resize(one_.size());
  for (size_t begin = 0; begin < one_.size();) {
    size_t end = begin + 1;
    while (end < one_.size() && one_[end].start == one_[begin].start) ++end;
    begins_.resize(end, static_cast<int32_t>(begin));
    counts_[begin] = static_cast<int32_t>(end - begin);
    for (int32_t d = 0; d < devices_; ++d) {
      for (size_t i = begin; i < end; ++i) {
        Event e = on(d, i, plan);
        if (e.cause >= 0) {
          const int64_t first = begins_[static_cast<size_t>(e.cause)];
          const int64_t of = symmetry_->turned(d, from_[i]);
          e.cause = static_cast<int32_t>(first * devices_ + of * counts_[static_cast<size_t>(first)] +
                                         (e.cause - first));
        }
        events_.add(e);
      }
    }
    begin = end;
  }
}

}  // namespace shardscope
