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
};

// What a play of a few works tells of itself beside its sums.
struct PlayWatch {
  static constexpr Picoseconds kNever = -1;
  // Since when each lane was used; beside that its decisions, so that it can be seen whether another play of
  // the same works went by the same; or, instead, its events.
  enum class Tells : uint8_t { first_asks, decisions, events };
  enum class Note : int32_t { ready, asked, computes, sends, receives };
  // Of what, and when; `end` of what lasts, of what was asked for by which time it waits its turn.
  struct Noted {
    Note note = Note::ready;
    int32_t device = 0;  // of `asked` the lane
    std::array<int32_t, 5> what{};
    Picoseconds at = 0, end = 0;
    auto same_as() const { return std::tie(note, device, what); }
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
    if (tells == Tells::decisions) noted.push_back({Note::ready, device, {work}, at, at});
  }
  void asked(const LaneRequest& r, Picoseconds now) {
    if (r.kind == LaneRequest::Kind::wake || tells == Tells::events) return;
    Picoseconds& first = first_asks[to_index(r.lane)];
    if (first == kNever) first = now;
    if (tells == Tells::decisions)
      noted.push_back({Note::asked, r.lane, {r.work, r.source, r.step, r.slot}, now, r.ready});
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
    if (tells != Tells::events) return;
    PlayedEvent& last = events.emplace_back(e);
    last.work = r.work;
    last.lane = r.lane;
    last.step = r.step;
    last.slot = r.slot;
  }
  // A message passes a link of `device` on its way to `target`.
  void passes(const LaneRequest& r, int32_t device, int32_t target, int64_t bytes, const Moment& start,
              const Moment& end) {
    const bool relayed = r.flight >= 0, arrives = r.next == target;
    PlayedEvent event{.bytes = bytes, .start = start, .end = end};
    (relayed ? event.relays : event.sends) = device;
    if (arrives) event.receives = target;
    played(r, event);
    if (!relayed) spent(Note::sends, device, r, start.time, end.time);
    if (arrives) spent(Note::receives, target, r, start.time, end.time);
  }
  void computes(const LaneRequest& r, const Moment& start, const Moment& end) {
    played(r, {.computes = r.source, .start = start, .end = end});
    spent(Note::computes, r.source, r, start.time, end.time);
  }
  void spent(Note how, int32_t device, const LaneRequest& r, Picoseconds start, Picoseconds end) {
    if (tells == Tells::decisions)
      noted.push_back({how, device, {r.work, r.source, r.step, r.slot, r.lane}, start, end});
  }
  // In an order that does not depend on when things happened.
  void sort() {
    std::ranges::stable_sort(served, {}, &Served::lane);
    std::ranges::sort(noted, [](const Noted& a, const Noted& b) { return a.same_as() < b.same_as(); });
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
