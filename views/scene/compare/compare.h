// SPDX-License-Identifier: Apache-2.0
// Runs under each other on one time axis, each folded to the device that its terms are of, and the bars of
// what they differ in.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/study/difference.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// The runs and how they differ, both in one order; all outlive the call.
struct CompareInput {
  const std::vector<ViewInput>& runs;
  const RunDifference& difference;
};

// What stands at one place of the common axis in all runs.
enum class LineUp : uint8_t { start, end, operation };

// Times are of the common axis: a run's own time and its offset, which is never negative.
struct CompareViewport {
  TimeRange range;  // empty: all of it
  float scroll_y = 0;
  LineUp line_up = LineUp::start;
  int operation = -1;  // place in RunDifference::operations: what is lined up and marked; -1: nothing
  bool operator==(const CompareViewport&) const = default;
};

// Events name their run in ItemId::index. What is hovered is marked in every run that does the same: the
// transfers of the same blocks, the computations of the same operation.
struct CompareMarks {
  Picoseconds cursor = 0;  // negative: none
  ItemId hovered, selected;
  bool operator==(const CompareMarks&) const = default;
};

// Items: events; candidate, a run by its place in `index`; handle, a bar by its term in `index` and its run
// in `lane`.
Scene layout_compare(const CompareInput& input, const CompareViewport& viewport, const CompareMarks& marks,
                     const Canvas& canvas);

Picoseconds compare_offset(const RunDifference& difference, const CompareViewport& viewport, size_t run);
TimeRange compare_bounds(const RunDifference& difference, const CompareViewport& viewport);
TimeAxis compare_axis(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas);
// By how much it may be scrolled.
float compare_overflow(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas);
// How far it is scrolled when the whole block of a run is seen, moved as little as that takes.
float compare_scroll_to(const CompareInput& input, const CompareViewport& viewport, const Canvas& canvas,
                        size_t run);
// The event after (by 1) or before (by −1) `from` of those of an operation that start on the run's device, by
// start; without one the first or the last. ItemId() without any.
ItemId compare_event_of(const CompareInput& input, int operation, const ItemId& from, int by);
// The stretch of the common axis in which an operation is under way in any run, with a margin.
TimeRange compare_range_of(const RunDifference& difference, const CompareViewport& viewport, int operation);
// The operation that an event of `run` belongs to, -1: none.
int operation_of(const RunDifference& difference, size_t run, int32_t instruction);
// What a bar stands for: the term's difference, and the operations behind it.
std::vector<std::string> describe_bar(const RunDifference& difference, const ItemId& bar);

}  // namespace shardscope::inline views
