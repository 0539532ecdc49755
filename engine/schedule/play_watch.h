// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/plan/to_index.h"
#include "engine/schedule/events/calendar.h"
#include "engine/schedule/events/moment.h"

namespace shardscope::inline scheduler {

// Where a play goes on from: when lanes are free, by number; by work · devices + device what works wait for
// outside of the play, none: before all time.
struct PlayStart {
  static constexpr Picoseconds kNone = -1;
  std::vector<Moment> lanes, ready;
  bool waits(size_t place) const { return place < ready.size() && ready[place].time != kNone; }
};

// An event of a play: by which request, the moments at which it begins and ends; who computes, sends, passes
// on and receives by it, -1: nobody.
struct PlayedEvent {
  int32_t work = 0, lane = 0, step = 0, slot = 0;
  int32_t computes = -1, sends = -1, relays = -1, receives = -1;
  int64_t bytes = 0;
  Moment start, end;
  auto same_as() const { return std::tie(work, lane, step, slot, computes, sends, relays, receives, bytes); }
};

// What a play of a few works tells of itself beside its sums.
struct PlayWatch {
  static constexpr Picoseconds kNever = -1;
  // Since when each lane was used, or its events, or beside both its decisions, so that it can be seen
  // whether another play of the same works went by the same.
  enum class Tells : uint8_t { first_asks, events, decisions };
  // A collective became ready on a device; a lane was asked for, by what waits for it since `since`; a lane
  // took something.
  struct Decision {
    enum class Of : uint8_t { ready, asked, served };
    Of of = Of::ready;
    int32_t where = 0;              // device or lane
    std::array<int32_t, 4> what{};  // work, source, step, slot
    bool was_idle = false;          // the lane, before it was asked
    bool first = false;             // of a collective's step: what its next step is made by
    Picoseconds at = 0, since = 0;
    auto same_as() const { return std::tie(of, where, what, was_idle, first); }
  };

  void ready(int32_t work, int32_t device, Picoseconds at) {
    if (tells == Tells::decisions)
      decisions.push_back({.of = Decision::Of::ready, .where = device, .what = {work}, .at = at});
  }
  void asked(const LaneRequest& r, Picoseconds now) {
    if (r.kind == LaneRequest::Kind::wake || tells == Tells::events) return;
    Picoseconds& first = first_asks[to_index(r.lane)];
    if (first == kNever) first = now;
    if (tells != Tells::decisions) return;
    Decision& it = decision(Decision::Of::asked, r, now);
    it.since = r.ready;
  }
  void served_by(const LaneRequest& r, Picoseconds now, Picoseconds free) {
    if (tells != Tells::decisions) return;
    Decision& it = decision(Decision::Of::served, r, now);
    it.was_idle = free < now;
    if (r.kind != LaneRequest::Kind::transfer || r.flight >= 0) return;
    int32_t& newest = newest_of_run.try_emplace(r.run, -1).first->second;
    it.first = newest < r.step;
    newest = std::max(newest, r.step);
  }
  void played(const LaneRequest& r, const PlayedEvent& e) {
    if (tells == Tells::first_asks) return;
    PlayedEvent& last = events.emplace_back(e);
    last.work = r.work;
    last.lane = r.lane;
    last.step = r.step;
    last.slot = r.slot;
  }
  // A message passes a link of `device` on its way to `target`.
  void passes(const LaneRequest& r, int32_t device, int32_t target, int64_t bytes, const Moment& start,
              const Moment& end) {
    PlayedEvent event{.bytes = bytes, .start = start, .end = end};
    (r.flight >= 0 ? event.relays : event.sends) = device;
    if (r.next == target) event.receives = target;
    played(r, event);
  }
  // In an order that does not depend on when things happened.
  void sort() {
    std::ranges::sort(events, {}, [](const PlayedEvent& e) { return e.same_as(); });
    // What a lane took stays in the order in which it took it.
    std::ranges::stable_sort(decisions, [](const Decision& a, const Decision& b) {
      if (a.of != b.of || a.where != b.where) return std::tie(a.of, a.where) < std::tie(b.of, b.where);
      return a.of != Decision::Of::served && a.what < b.what;
    });
  }
  Decision& decision(Decision::Of of, const LaneRequest& r, Picoseconds now) {
    return decisions.emplace_back(
        Decision{.of = of, .where = r.lane, .what = {r.work, r.source, r.step, r.slot}, .at = now});
  }

  PlayStart from;
  Tells tells = Tells::first_asks;
  std::vector<Picoseconds> first_asks;  // by lane
  std::vector<PlayedEvent> events;      // in the order in which they came
  std::vector<Moment> lanes;            // by number: when each is free at the end
  std::vector<Decision> decisions;
  std::map<int32_t, int32_t> newest_of_run;  // the step of which something was served
  std::vector<Moment> done;                  // by work · devices + device: what it makes is there
};

}  // namespace shardscope::inline scheduler
