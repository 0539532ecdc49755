// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/plan/symmetry.h"
#include "engine/run/spans.h"
#include "engine/run/timeline.h"
#include "engine/schedule/events/event_order.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

// An event of a work on a lane of a device.
inline Event event_of(const Work& work, EventKind kind, int32_t device, int32_t lane, TimeRange when) {
  Event e;
  e.start = when.start;
  e.end = when.end;
  e.device = device;
  e.lane = static_cast<int16_t>(lane);
  e.kind = kind;
  e.instruction = work.global_index;
  e.step = work.step;
  e.bytes = work.bytes;
  return e;
}

// Where the time up to a moment went; events are for others to say.
inline CriticalPath path_to(const Moment& last) {
  CriticalPath path;
  path.compute = last.compute;
  path.memory = last.memory;
  path.latency = last.latency;
  path.bandwidth = last.bandwidth;
  path.overhead = last.time - last.compute - last.memory - last.latency - last.bandwidth;
  return path;
}

// What a device did.
struct DeviceTally {
  DeviceTotals totals;
  Spans comm, any;  // any: comm ∪ compute
  void computes(TimeRange span) {
    totals.compute += span.length();
    any.add(span);
  }
  void communicates(TimeRange span) {
    if (comm.ends_with(span)) return;
    comm.add(span);
    any.add(span);
  }
  // In a run that took so long.
  DeviceTotals in(Picoseconds run) const {
    DeviceTotals out = totals;
    const Picoseconds busy = any.length();
    out.comm = comm.length();
    out.exposed = busy - out.compute;
    out.idle = run - busy;
    return out;
  }
};

// The event that ends last, and by what chain; of those that end together the first by device, lane and work.
struct LastEvent {
  Moment end;
  int32_t device = -1, lane = -1, work = -1;  // -1: there is none yet
  void take(const LastEvent& other) {
    if (other.end.time < end.time) return;
    if (other.end.time == end.time && device >= 0 && other.place() >= place()) return;
    *this = other;
  }
  std::tuple<int32_t, int32_t, int32_t> place() const { return {device, lane, work}; }
};

// Where the simulation's events go: kept, or only summed per device. Memory of the sums is O(devices).
class EventRecorder {
 public:
  // `symmetry`: what is recorded are the events of one device of each class, which stand for those of all of
  // it; devices are told by their places in Symmetry::played.
  EventRecorder(int32_t devices, bool keep_events, int64_t most_events, const Symmetry* symmetry)
      : devices_(devices),
        symmetry_(symmetry),
        keep_(keep_events),
        most_events_(symmetry == nullptr ? most_events : most_events / symmetry->turns()),
        events_(devices),
        sums_(symmetry == nullptr ? static_cast<size_t>(devices) : symmetry->played().size()) {}
  // As many events as these will come, if they are to be kept: room for all at once.
  void expect(int64_t events);

  bool keeps_events() const { return keep_; }
  // Events were to be kept, but there are too many.
  bool gave_up() const { return gave_up_; }
  // Where an event that stands for many comes from: slot `slot` of what `source` sends in `step`.
  struct Origin {
    int32_t work = -1, step = 0, slot = 0, source = 0;
  };
  // Adds an event that `cause` let start (and says so in it), and gives the EventRef by which later ones name
  // it.
  int64_t add(Event& event, int64_t cause, const Origin& origin);
  // `end`: when the event ends and by what chain.
  void count(const Moment& end, int32_t device, int32_t lane, int32_t work) {
    ++event_count_;
    if (end.time >= last_.end.time) last_.take({end, device, lane, work});
  }
  // As many events that are played together; others end later.
  void count_together(int64_t events) {
    event_count_ += events;
    counted_together_ += events;
  }
  DeviceTally& of(int32_t device) { return sums_[static_cast<size_t>(device)]; }
  DeviceTotals& totals(int32_t device) { return of(device).totals; }
  int64_t event_count() const { return event_count_; }
  int64_t counted_together() const { return counted_together_; }
  const LastEvent& last() const { return last_; }  // with which the critical path ends

  // Moves everything into the timeline: total, events in their order, totals, critical path.
  void finish(const WorkPlan& plan, Timeline& timeline);

 private:
  // An event of one that stands for its class.
  struct One {
    Event event;
    Origin origin;
    int32_t from = 0;  // the turn of its cause seen from its own
  };
  void unfold(const WorkPlan& plan);
  Event turned(int32_t by, const One& one, const WorkPlan& plan);

  int32_t devices_;
  const Symmetry* symmetry_;
  bool keep_;
  bool gave_up_ = false;
  int64_t most_events_;
  int64_t event_count_ = 0;
  int64_t counted_together_ = 0;  // of them
  LastEvent last_;
  EventOrder events_;
  std::vector<One> one_;
  std::vector<int32_t> begins_;  // by event, where those of its start begin, and
  std::vector<int32_t> counts_;  // how many these are, by where they begin
  std::vector<Transfer> sent_;
  std::vector<DeviceTally> sums_;
};

}  // namespace shardscope::inline scheduler
