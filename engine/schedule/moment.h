// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/units.h"

namespace shardscope {

// What a piece of work takes, by cause.
struct Cost {
  Picoseconds compute = 0, memory = 0, latency = 0, bandwidth = 0, overhead = 0;
  Picoseconds total() const { return compute + memory + latency + bandwidth + overhead; }
};

// A point in time and how it came about: the chain of events that led to it, as the sum of its costs by cause
// (what they leave of `time` is overhead) and its last event. Carried forward, so that a critical path needs
// no history.
struct Moment {
  Picoseconds time = 0;
  Picoseconds compute = 0, memory = 0, latency = 0, bandwidth = 0;
  int64_t event = -1;

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
  void no_earlier_than(const Moment& other) {
    if (other.time > time) *this = other;
  }
};

}  // namespace shardscope
