// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "engine/plan/work.h"
#include "engine/program/ir/program.h"
#include "engine/run/timeline.h"

namespace shardscope::inline planner {

// Bytes that come (> 0) or go at a time. At one time what goes does so first.
using MemoryChange = std::pair<Picoseconds, int64_t>;
// The most that are there at once; `over_time`: how many are from when on, may be null. Sorts the changes.
int64_t peak_of_changes(std::vector<MemoryChange>& changes, std::vector<MemoryPoint>* over_time = nullptr);

// What is in the buffers of a program, by maker. A sum into an accumulator that nobody else reads happens in
// place; parameters and the result are kept. `fused_add`: find_fused_adds.
std::vector<BufferContents> plan_buffers(const Program& program, const std::vector<InstructionId>& fused_add);

// When one piece of work begins and ends on one device.
struct WorkSpan {
  Picoseconds start = std::numeric_limits<Picoseconds>::max();
  Picoseconds end = 0;   // what it makes is there
  Picoseconds sent = 0;  // of a collective: the last that the device sends has left it
  Picoseconds over() const { return std::max(end, sent); }
};

// What a simulation played: by device the one that was played for it (itself, or one before it), and what it
// did.
struct Played {
  std::function<int32_t(int32_t device)> by;
  std::function<WorkSpan(int32_t work, int32_t device)> span;  // of one that was played
};

// Writes peak_bytes of every device and, when `keep`, its buffers, what is in them (plan_buffers) and the
// bytes live over time. A buffer lives from the start of the work that makes it to the end of the last that
// reads or sends it, through views; what is kept to the end.
void record_memory(const Program& program, const WorkPlan& plan, const Played& played, bool keep,
                   Timeline& timeline);

}  // namespace shardscope::inline planner
