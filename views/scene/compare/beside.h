// SPDX-License-Identifier: Apache-2.0
// A measured trace below the simulated run that it is of: the lanes of a device each, on one time axis that
// begins where the run and the step begin, and the bars of what the trace takes longer. What is measured is
// hatched, says so and is never one number with what is simulated.
#pragma once

#include <string>
#include <vector>

#include "engine/study/residual.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// The run, the trace and their residual; all outlive the call.
struct BesideInput {
  const ViewInput& run;
  const MeasuredTrace& trace;
  const Residual& residual;
};

struct BesideViewport {
  TimeRange range;  // from the run's and the step's begin; empty: all of both
  float scroll_y = 0;
  int operation = -1;  // place in Residual::operations: marked in both; -1: none
  bool operator==(const BesideViewport&) const = default;
};

// Simulated events have 0 in ItemId::index, measured ones 1 and their place in MeasuredTrace::events.
inline constexpr int32_t kSimulatedTag = 0, kMeasuredTag = 1;
struct BesideMarks {
  Picoseconds cursor = -1;  // negative: none
  ItemId hovered;
  bool operator==(const BesideMarks&) const = default;
};

// Items: events; candidate, an operation's bar by its place in `index`.
Scene layout_beside(const BesideInput& input, const BesideViewport& viewport, const BesideMarks& marks,
                    const Canvas& canvas);
TimeRange beside_bounds(const Residual& residual);
TimeAxis beside_axis(const BesideInput& input, const BesideViewport& viewport, const Canvas& canvas);
float beside_overflow(const BesideInput& input, const BesideViewport& viewport, const Canvas& canvas);
// In which an operation is under way, simulated or measured, with a margin; empty: in none.
TimeRange beside_range_of(const BesideInput& input, int operation);
// The operation that an item stands for, -1: none.
int beside_operation(const BesideInput& input, const ItemId& item);
// A measured event's tooltip: what it is, its times, and what is simulated for it.
std::vector<std::string> describe_measured(const BesideInput& input, int32_t event);

}  // namespace shardscope::inline views
