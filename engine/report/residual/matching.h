// SPDX-License-Identifier: Apache-2.0
// Which event of a trace is which operation of the program.
#pragma once

#include <vector>

#include "engine/report/residual/simulated_side.h"

namespace shardscope::inline report {

// Steps as the trace marks them. Without marks: where the operation that comes first comes again, each from
// its start to the last end before the next; one of all events when nothing comes again.
// `of`: by event the place of its operation, -1: none; made without steps.
struct MatchedEvents {
  std::vector<int32_t> of;
  std::vector<TimeRange> steps;
  bool steps_found = false;  // they are not marked
};

// By the instruction's name where the trace has it and nothing else speaks against it; else by kind, shapes,
// element type and group: on each device of each step the events of one form are the operations of that form
// one after the other. What is left over is nobody's.
MatchedEvents match(const std::vector<SimulatedOperation>& operations, const MeasuredTrace& trace);

}  // namespace shardscope::inline report
