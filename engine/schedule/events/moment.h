// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

#include "engine/hardware/cost.h"

namespace shardscope::inline scheduler {

// An event that something waits for, as a number: its place among those recorded, and above it what orders
// events of one time the same way on every device (`order`). Where one device stands for its class,
// `from` is the turn to the device whose copy of the event it is.
class EventRef {
 public:
  static int64_t make(int64_t place, int32_t lane, int32_t slot) {
    return place | static_cast<int64_t>((lane & 31) << 6 | (slot & 63)) << 52;
  }
  static int64_t seen_from(int64_t event, int32_t from) {
    return event < 0 ? event : (event & ~(int64_t{0xfffff} << 32)) | static_cast<int64_t>(from) << 32;
  }
  static int32_t place(int64_t event) { return event < 0 ? -1 : static_cast<int32_t>(event & 0xffffffff); }
  static int32_t from(int64_t event) { return static_cast<int32_t>(event >> 32 & 0xfffff); }
  static int64_t order(int64_t event) { return event >> 52; }
};

// A point in time and how it came about: the chain of events that led to it, as the sum of its costs by cause
// (what they leave of `time` is overhead) and its last event (an EventRef, -1: none). Carried forward, so
// that a critical path needs no history.
struct Moment {
  Picoseconds time = 0;
  Picoseconds compute = 0, memory = 0, latency = 0, bandwidth = 0;
  int64_t event = -1;
  auto operator<=>(const Moment&) const = default;

  // What to add to a moment for `cost` to pass.
  static Moment span(const Cost& cost) {
    return {cost.total(), cost.compute, cost.memory, cost.latency, cost.bandwidth, 0};
  }
  Moment after(const Cost& cost) const { return after(span(cost)); }
  // Field by field, of which compilers make three instructions.
  Moment after(const Moment& span) const {
    return {time + span.time,       compute + span.compute,     memory + span.memory,
            latency + span.latency, bandwidth + span.bandwidth, event + span.event};
  }
  // By how much it is after another one.
  Moment since(const Moment& o) const {
    return {time - o.time,       compute - o.compute,     memory - o.memory,
            latency - o.latency, bandwidth - o.bandwidth, event};
  }
  // By the same costs at the same time: which of the two counts is for something else to say.
  bool ties_with(const Moment& o) const {
    return std::tie(time, latency, bandwidth, compute, memory) ==
           std::tie(o.time, o.latency, o.bandwidth, o.compute, o.memory);
  }
  // Of two chains that take equally long the one that counts does not depend on which was looked at first,
  // nor on the device.
  void no_earlier_than(const Moment& other) {
    if (other.counts_before(*this)) *this = other;
  }
  bool counts_before(const Moment& other) const {
    return time > other.time || (time == other.time && outranks(other));
  }

 private:
  bool outranks(const Moment& other) const {
    return std::tuple(latency, bandwidth, compute, memory, EventRef::order(event)) >
           std::tuple(other.latency, other.bandwidth, other.compute, other.memory,
                      EventRef::order(other.event));
  }
};

}  // namespace shardscope::inline scheduler
