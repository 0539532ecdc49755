// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/ring.h"

namespace shardscope::inline collectives {

// An axis of the ranks: r's place on it is r / stride mod size.
struct TorusAxis {
  int32_t size = 1;
  int32_t stride = 1;
  bool wraps = true;
  bool operator==(const TorusAxis&) const = default;
};

// Rings along one axis after the other. A colour carries an equal part of every shard: all-gather along its
// axes in their order, each time with all that came along the axes before; reduce-scatter backwards. One
// colour is the textbook torus (and, across nodes before within them, the hierarchical algorithm); several
// with other first axes and both ways round keep more links busy. P. Sack, W. Gropp, "Collective Algorithms
// for Multiported Torus Networks", 2015.
struct TorusColour {
  std::vector<TorusAxis> axes;  // in the order of the all-gather
  bool down = false;            // round the axes that wrap the other way
  bool operator==(const TorusColour&) const = default;
};

// Colours with the same first axis and way would wait for each other at every step: each begins when the one
// before it has gone along its first axis, so that they work on different axes at once.
//
// Chunks: colour after colour, of each the shards in the order in which they are bundled (last axis slowest).
class TorusSchedule final : public CollectiveSchedule {
 public:
  // all-gather or reduce-scatter; `turns`: turning an axis of the group turns the schedule (all of them
  // wrap).
  TorusSchedule(CollectiveKind kind, int32_t ranks, const std::vector<TorusColour>& colours, bool turns);
  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  int32_t home(int32_t chunk) const override;

 private:
  struct Phase {
    TorusAxis axis;
    int32_t bundle;  // shards that travel together
    int32_t begin;   // its first step
    RingSchedule ring;
    int32_t place(int32_t rank) const { return rank / axis.stride % axis.size; }
  };
  std::vector<std::vector<Phase>> colours_;
};

// "torus": fast axes first, one way round. "torus.bidirectional": as many colours as axes, each both ways.
std::vector<TorusColour> torus_colours(const std::vector<TorusAxis>& axes);
std::vector<TorusColour> bidirectional_torus_colours(const std::vector<TorusAxis>& axes);

}  // namespace shardscope::inline collectives
