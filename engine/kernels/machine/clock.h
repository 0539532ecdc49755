// SPDX-License-Identifier: Apache-2.0
// Happens-before, exactly: a vector clock with one counter per device and one bit per half of every DMA. A
// DMA's read half and its write half happen once each, so a bit says all; the bits grow with the DMAs
// started. L. Lamport, "Time, clocks, and the ordering of events in a distributed system", 1978; F. Mattern,
// 1988.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/run/kernel/kernel_layout.h"

namespace shardscope::kernels {

// What one point of a run has behind it.
struct Clock {
  std::vector<uint32_t> devices;
  std::vector<uint64_t> halves;  // bit 2i: DMA i was read; bit 2i + 1: it was written

  bool knows_half(int32_t half) const {
    const size_t word = static_cast<size_t>(half) / 64;
    return word < halves.size() && (halves[word] >> (half % 64) & 1) != 0;
  }
  void add_half(int32_t half) {
    const size_t word = static_cast<size_t>(half) / 64;
    if (word >= halves.size()) halves.resize(word + 1, 0);
    halves[word] |= uint64_t{1} << (half % 64);
  }
  void join(const Clock& o) {
    for (size_t d = 0; d < devices.size(); ++d) devices[d] = std::max(devices[d], o.devices[d]);
    if (o.halves.size() > halves.size()) halves.resize(o.halves.size(), 0);
    for (size_t w = 0; w < o.halves.size(); ++w) halves[w] |= o.halves[w];
  }
};

// One access to a part of a buffer: by a device at its time `tick`, or by a half of a DMA (then half >= 0).
struct Access {
  Box box;
  bool write = false;
  int32_t device = 0;  // of a DMA the device that started it
  uint32_t tick = 0;
  int32_t half = -1;
  int32_t line = 0;
  int64_t step = 0;  // of the schedule

  int32_t dma() const { return half < 0 ? -1 : half / 2; }
  bool before(const Clock& clock) const {
    return half >= 0 ? clock.knows_half(half) : clock.devices[static_cast<size_t>(device)] >= tick;
  }
};

// The accesses to one buffer of one device that a later one could still conflict with.
class AccessHistory {
 public:
  // Calls conflict(earlier) for each earlier access that overlaps, writes or is written over, and is not
  // ordered before `access`, whose clock is `clock`; then keeps `access`.
  template <class F>
  void add(const Access& access, const Clock& clock, F&& conflict) {
    size_t kept = 0;
    for (Access& earlier : accesses_) {
      const bool ordered = earlier.before(clock);
      if (!ordered && (earlier.write || access.write) && earlier.box.overlaps(access.box)) conflict(earlier);
      // Whatever conflicts with an access that is ordered before and covered conflicts with this one too.
      const bool replaced = ordered && access.box.covers(earlier.box) && (access.write || !earlier.write);
      if (!replaced) accesses_[kept++] = earlier;
    }
    accesses_.resize(kept);
    accesses_.push_back(access);
  }

 private:
  std::vector<Access> accesses_;
};

}  // namespace shardscope::kernels
