// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/recorder.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace shardscope {

int64_t EventRecorder::add(const Event& event, int64_t cause, const Origin& origin) {
  const int64_t place = static_cast<int64_t>(events_.size());
  if (most_events_ > 0 && place >= most_events_) {
    keep_ = false;
    gave_up_ = true;
    events_ = {};
    origins_ = {};
    from_ = {};
    return -1;
  }
  events_.push_back(event);
  events_.back().cause = EventRef::place(cause);
  if (symmetry_ != nullptr) {
    origins_.push_back(origin);
    from_.push_back(cause < 0 ? 0 : EventRef::from(cause));
  }
  return EventRef::make(place, event.lane, origin.slot);
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
  sort_events(timeline);
}

// From the events of one device those of all: that of device d is event · devices + d.
void EventRecorder::unfold(const WorkPlan& plan) {
  const std::vector<Event> one = std::exchange(events_, {});
  events_.reserve(one.size() * static_cast<size_t>(devices_));
  std::vector<Transfer> sent;
  for (size_t i = 0; i < one.size(); ++i) {
    const Origin& origin = origins_[i];
    for (int32_t d = 0; d < devices_; ++d) {
      Event e = one[i];
      e.device = d;
      e.lane = static_cast<int16_t>(symmetry_->lane_on(e.lane, d));
      if (e.cause >= 0) e.cause = e.cause * devices_ + symmetry_->turned(d, from_[i]);
      if (e.kind == EventKind::transfer) {
        const Work& work = plan.works[static_cast<size_t>(origin.work)];
        const int32_t source = symmetry_->between(origin.at, d);
        sent.clear();
        work.schedule->append_from(origin.step, work.groups->rank_of[static_cast<size_t>(source)], sent);
        e.peer = symmetry_->turned(e.peer, source);
        e.chunk = sent[static_cast<size_t>(origin.slot)].chunk;
      }
      events_.push_back(e);
    }
  }
  if (last_.event >= 0) last_.event = int64_t{EventRef::place(last_.event)} * devices_;
}

void EventRecorder::sort_events(Timeline& timeline) {
  std::vector<int32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int32_t i) {
    const Event& e = events_[static_cast<size_t>(i)];
    return std::tuple(e.start, e.device, e.lane, e.instruction, e.chunk, i);
  };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  std::vector<int32_t> place(events_.size());
  for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  timeline.events.reserve(events_.size());
  for (const int32_t i : order) {
    Event e = events_[static_cast<size_t>(i)];
    if (e.cause >= 0) e.cause = place[static_cast<size_t>(e.cause)];
    timeline.events.push_back(e);
  }
  events_ = {};
  if (last_.event < 0) return;
  std::vector<int32_t>& path = timeline.critical_path.events;
  for (int32_t e = place[static_cast<size_t>(EventRef::place(last_.event))]; e >= 0;
       e = timeline.events[static_cast<size_t>(e)].cause) {
    path.push_back(e);
  }
  std::reverse(path.begin(), path.end());
}

}  // namespace shardscope
