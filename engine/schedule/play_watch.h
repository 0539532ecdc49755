// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/schedule/events/calendar.h"
#include "engine/schedule/events/moment.h"
#include "engine/schedule/events/to_index.h"

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
  // Of `asked` a lane was asked for, at a time, by what waits for it since `end`; else a collective is ready
  // on a device.
  struct Noted {
    bool asked = false;
    int32_t where = 0;  // lane or device
    std::array<int32_t, 4> what{};
    Picoseconds at = 0, end = 0;
    auto same_as() const { return std::tie(asked, where, what); }
  };
  // In the order in which a lane took them.
  struct Served {
    int32_t lane = 0;
    std::array<int32_t, 4> what{};  // source, work, step, slot
    bool was_idle = false;          // the lane, before it was asked
    bool first = false;             // of a collective's step: what its next step is made by
    Picoseconds at = 0;
    bool same_as(const Served& o) const {
      return lane == o.lane && what == o.what && was_idle == o.was_idle && first == o.first;
    }
  };

  void ready(int32_t work, int32_t device, Picoseconds at) {
    if (tells == Tells::decisions) noted.push_back({false, device, {work}, at, at});
  }
  void asked(const LaneRequest& r, Picoseconds now) {
    if (r.kind == LaneRequest::Kind::wake || tells == Tells::events) return;
    Picoseconds& first = first_asks[to_index(r.lane)];
    if (first == kNever) first = now;
    if (tells == Tells::decisions)
      noted.push_back({true, r.lane, {r.work, r.source, r.step, r.slot}, now, r.ready});
  }
  void served_by(const LaneRequest& r, Picoseconds now, Picoseconds free) {
    if (tells != Tells::decisions) return;
    bool first = false;
    if (r.kind == LaneRequest::Kind::transfer && r.flight < 0) {
      if (newest.size() <= static_cast<size_t>(r.run)) newest.resize(static_cast<size_t>(r.run) + 1, -1);
      first = newest[static_cast<size_t>(r.run)] < r.step;
      newest[static_cast<size_t>(r.run)] = std::max(newest[static_cast<size_t>(r.run)], r.step);
    }
    served.push_back({r.lane, {r.source, r.work, r.step, r.slot}, free < now, first, now});
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
    std::ranges::stable_sort(served, {}, &Served::lane);
    const auto sort = [](auto& all) {
      std::ranges::sort(all, [](const auto& a, const auto& b) { return a.same_as() < b.same_as(); });
    };
    sort(noted);
    sort(events);
  }

  PlayStart from;
  Tells tells = Tells::first_asks;
  std::vector<Picoseconds> first_asks;  // by lane
  std::vector<PlayedEvent> events;      // in the order in which they came
  std::vector<Moment> lanes;            // by number: when each is free at the end
  std::vector<Noted> noted;
  std::vector<Served> served;
  std::vector<int32_t> newest;  // by run: the step of which something was served
  std::vector<Moment> done;     // by work · devices + device: what it makes is there
};

}  // namespace shardscope::inline scheduler
