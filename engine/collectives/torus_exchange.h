// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/collectives/torus.h"

namespace shardscope::inline collectives {

// all-to-all on a torus, one axis after the other: along an axis everything that is for another place on it
// goes there, stored and forwarded the shorter way round (what is for the far side half up and half down; on
// an open axis straight). One message a step and direction, so that a link's latency is paid once a step. As
// many colours as axes, each with an equal part of every block and another first axis, keep the links of all
// axes busy: a link of an axis of L carries ranks·L/8 blocks, which is the least that it can. S. L. Johnsson,
// C.-T. Ho, "Optimum broadcasting and personalized communication in hypercubes", 1989, on longer axes.
//
// Chunks: colour after colour, in each by source, then by the distance on each axis (first axis slowest) and
// which way round the part goes.
class TorusExchange final : public CollectiveSchedule {
 public:
  // `axes`: in the order in which the first colour takes them; colour c begins with the c-th. `turns`:
  // turning an axis of the group turns the schedule.
  TorusExchange(int32_t ranks, const std::vector<TorusAxis>& axes, int32_t colours, bool turns);
  // No more than an int32_t numbers can be timed.
  static int64_t chunks_of(int32_t ranks, const std::vector<TorusAxis>& axes, int32_t colours);

  void append_from(int32_t step, int32_t source, std::vector<Transfer>& out) const override;
  void append_chunks(const Transfer& transfer, std::vector<int32_t>& out) const override;
  int32_t home(int32_t chunk) const override;
  int32_t goal(int32_t chunk) const override;

 private:
  struct Axis {
    TorusAxis of;
    int32_t halves;  // parts of what is for one distance
    int32_t steps;
    int32_t unit;  // from a part to the next, in chunk numbers

    int32_t slots() const { return of.size * halves; }
    int32_t place(int32_t rank) const { return rank / of.stride % of.size; }
    int32_t moved(int32_t place, int32_t by) const { return (place + by + of.size) % of.size; }
  };
  // What moves along an axis in one of its steps: parts [first, last) of distance·halves + half.
  struct Slots {
    int32_t first = 0, last = 0;
    int32_t count() const { return last - first; }
  };
  struct Phase {
    size_t axis = 0;
    int32_t step = 0;  // of the axis
    size_t done = 0;   // how many axes the colour has taken before
  };

  static Outline outline_of(int32_t ranks, const std::vector<TorusAxis>& axes, int32_t colours, bool turns);
  Phase phase(int32_t step, int32_t colour) const;
  Slots slots(const Axis& axis, int32_t step, int32_t place, bool up) const;
  // Where on axis `b` the chunks come from that a rank passes on, and how far they go: the numbers that this
  // adds to a chunk's.
  void append_offsets(const Transfer& transfer, size_t b, std::vector<int32_t>& out) const;
  int32_t per_rank() const { return axes_.front().unit * axes_.front().slots(); }

  std::vector<Axis> axes_;
  int32_t colours_;
};

}  // namespace shardscope::inline collectives
