// SPDX-License-Identifier: Apache-2.0
// Processes that execute a program together, each with some of the mesh's devices.
#pragma once

#include <functional>
#include <vector>

#include "engine/base/result.h"
#include "engine/numerics/product/micro_kernel.h"
#include "engine/numerics/rules/device_value.h"
#include "engine/numerics/rules/run_limits.h"
#include "engine/program/ir/program.h"
#include "engine/run/timed_collective.h"

namespace shardscope::inline numerics {

class Ranks {
 public:
  struct Job {
    const Program& program;
    const std::vector<TimedCollective>& schedules;  // as Interpreter::follow
    bool trap_slices = false;
    Isa isa = Isa::baseline;
  };

  virtual ~Ranks() = default;
  // parameters[number][device] of all devices -> the root on each, with the bits that one process gives.
  // Parameters that are the same as of the job before are not sent again. Errors: as Interpreter::run_values;
  // a process that is gone or does not answer, by its rank.
  virtual Result<DeviceValues> run(const Job& job, std::vector<DeviceValues> parameters,
                                   const RunLimits& limits, const std::function<void(double)>& progress) = 0;
  // What the last job took: from the first process that began until the last one was done, with nothing of
  // how parameters came and results went.
  virtual double seconds() const = 0;
};

}  // namespace shardscope::inline numerics
