// SPDX-License-Identifier: Apache-2.0
// What a program needs at least, from its instructions alone: what the tuner need not time.
#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/partition/entry/reshard_program.h"
#include "engine/strategies/looped.h"

namespace shardscope::inline tuner {

struct LeastCost {
  double seconds = 0;
  double products_s = 0;     // of a device's dots, one after the other
  int64_t peak_bytes = 0;    // of the busiest device
  int64_t instructions = 0;  // of the program, those of a loop each round
};

// What no schedule of the program beats, whatever the algorithms of its collectives. The time is the longest
// of the way through what waits for what, of a device's dots, one after the other from when the first of them
// can begin, and, by mesh axis or port, of the bytes that must leave a device over its links, in the mean.
// The memory is what is live while some instruction runs: the inputs, what it reads and what it makes.
// Numbers that are not published count as no time. Told to stop, it says less.
LeastCost least_cost(const ProgramSketch& sketch, const Hardware& hardware, const std::stop_token& stop = {});

// Likewise of bringing a matrix from one way to lie to another: what the device that lacks most lacks, over
// all its links, or, of devices with one port, what they lack in the mean.
class LeastResharding {
 public:
  LeastResharding(const Mesh& mesh, const Hardware& hardware, const std::vector<StoredArray>& layouts);
  // From layout `from` to layout `to` of those given, of an array of so many bytes.
  double seconds(size_t from, size_t to, double bytes) const;

 private:
  struct Held {  // of a device, as shares of the two dimensions: [start, stop)
    double rows[2] = {0, 0}, cols[2] = {0, 0};
  };
  std::vector<std::vector<Held>> held_;  // by layout and device; none: no bound
  double at_least_s_ = 0, bytes_per_s_ = 0;
  bool in_the_mean_ = false;  // what a device lacks
};

}  // namespace shardscope::inline tuner
