// SPDX-License-Identifier: Apache-2.0
// Simulates when each instruction and transfer of a program happens: an instruction starts when
// its operands are ready and its lane is free.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/hardware/overrides.h"
#include "engine/plan/options.h"
#include "engine/program/ir/program.h"
#include "engine/run/timeline.h"
#include "engine/schedule/fastest.h"

namespace shardscope::inline scheduler {

struct ScheduleOptions : PlanOptions {
  HardwareOverrides overrides;
  bool keep_events = true;  // false: totals only
  // Of a run with more events than this, totals only; 0: however many there are.
  int64_t most_events = 20'000'000;
  // Of devices that are alike (see Symmetry) one is played for all; the timeline is the same.
  bool one_for_all = true;
  // Loops that cannot be timed as such are not written out: then nothing is told (an empty timeline).
  bool only_by_loops = false;
  // Of what takes longer nothing is told but a total that is longer: it is played no further than that.
  Picoseconds enough = std::numeric_limits<Picoseconds>::max();
  const FastestAlgorithms* fastest = nullptr;     // what is known of collectives before; outlives the call
  std::function<void(double fraction)> progress;  // may be empty
};

// Loops of the program are timed as such where events are not kept and that can be shown to come to the same:
// then Timeline::schedules holds each collective of a loop once. Else they are written out. Errors: a field
// of the hardware that the run needs is not published (named), an algorithm that is not legal on a group, an
// instruction without a cost rule, cancelled.
Result<Timeline> schedule(const Program& program, const Hardware& hardware, const ScheduleOptions& options,
                          std::stop_token stop);

// Timeline::schedules of a program that was timed on that hardware, made again: what a record leaves out.
Result<std::vector<TimedCollective>> plan_collectives(const Program& program, const Hardware& hardware,
                                                      const HardwareOverrides& overrides,
                                                      CollectiveAlgorithm asked);

// Timeline::contents, likewise. `called`: by instruction of the entry, whether a kernel stands for it.
std::vector<BufferContents> buffer_contents(const Program& program, const std::vector<bool>& called);

// `algorithm` written on each collective of the program that names none: what `automatic` chose for its
// group. `fastest`: where answers are looked up and go.
Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked,
                                    FastestAlgorithms& fastest, const std::stop_token& stop = {});
// What resolve_collectives would have to play of a program for `automatic`, each once. Errors: as there.
Result<std::vector<CollectiveQuery>> asked_collectives(const Program& program, const Hardware& hardware,
                                                       const FastestAlgorithms& known);
// The same as the first where nobody asks for the answers again.
Result<Program> resolve_collectives(Program program, const Hardware& hardware, CollectiveAlgorithm asked,
                                    const std::stop_token& stop = {});

}  // namespace shardscope::inline scheduler
