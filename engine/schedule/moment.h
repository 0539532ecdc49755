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
  int32_t event = -1;

  Moment after(const Cost& cost) const {
    return {time + cost.total(),    compute + cost.compute,     memory + cost.memory,
            latency + cost.latency, bandwidth + cost.bandwidth, event};
  }
  void no_earlier_than(const Moment& other) {
    if (other.time > time) *this = other;
  }
};

}  // namespace shardscope
