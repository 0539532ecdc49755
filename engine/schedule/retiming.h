// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "engine/plan/work.h"
#include "engine/schedule/schedule.h"

namespace shardscope::inline scheduler {

// A program made ready to be timed again and again on a chip whose numbers change: its works, what waits for
// what and the transfers of each collective are planned once, on the chip as it is, and stay. Every timing
// starts from the first event: `schedule` of the same chip gives the same timeline.
class Retiming {
 public:
  // `program` outlives it. Errors: as schedule.
  static Result<Retiming> make(const Program& program, const Hardware& hardware,
                               const ScheduleOptions& options);
  // `options.calls`: kernels as they are timed on `hardware`; with kernels all is planned anew.
  Result<Timeline> time(const Hardware& hardware, const ScheduleOptions& options, std::stop_token stop) const;
  // The work that an instruction of the entry is, or is part of; null: it takes no time.
  const Work* work_of(InstructionId instruction) const;

 private:
  const Program* program_ = nullptr;
  WorkPlan plan_;
  bool with_kernels_ = false;
};

// The works of a program as schedule() plans them.
Result<WorkPlan> plan_work(const Program& program, const Hardware& hardware, const Fabric& fabric,
                           const ScheduleOptions& options, const std::stop_token& stop = {});

// All that is told of what takes longer than asked for.
inline Timeline longer_than(Picoseconds enough) {
  Timeline out;
  out.total = enough + 1;
  return out;
}

// schedule() of a program without loops.
Result<Timeline> schedule_written_out(const Program& program, const Hardware& hardware,
                                      const ScheduleOptions& options, std::stop_token stop);

}  // namespace shardscope::inline scheduler
