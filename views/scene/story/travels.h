// SPDX-License-Identifier: Apache-2.0
// What is on the links at a moment: every transfer that is under way, of all collectives, and at the end of a
// beat those of it that have just arrived. What only starts then has moved nothing yet.
#pragma once

#include <string>
#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// A transfer on one of its links.
struct Travel {
  int32_t event = -1;    // the transfer: place in Timeline::events; -1: not known
  Event hop;             // the link that it is on: the transfer's own or a further hop
  double part = 0;       // of the link's time, 0 to 1
  bool arrived = false;  // the beat that has just ended
  bool waits = false;    // at the end of its link, for the next one to be free
};
// `most_devices`: of so many devices only; by device, lane and start.
std::vector<Travel> travels_at(const ViewInput& input, Picoseconds time, int32_t most_devices = 1 << 20);

// The beats that end at `time`.
std::vector<int32_t> beats_ending(const Story& story, Picoseconds time);
// The transfers of a beat.
std::vector<int32_t> transfers_of(const Story& story, int32_t beat);

// Which part of its collective a beat's transfers are: "reduce-scatter half, 2 of 3" of an all-reduce,
// "2 of 3" of others; empty: one step is all of it, or it is no collective.
std::string phase_text(const Story& story, int32_t beat);

}  // namespace shardscope::inline views
