// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"
#include "engine/request/module_timing.h"

namespace shardscope::inline planner {

struct TimedForm {
  Program program;
  std::vector<std::string> assumptions;
};
// A program as `schedule` takes it: calls, loops and branches written out in the entry, fusions as one piece
// of work each; a branch that data chooses is the one that takes longest, a loop whose rounds do has one,
// unless `timing` says otherwise. Errors: as written_out; a name of `timing` that the program lacks.
Result<TimedForm> timed_form(const Program& program, const Hardware& hardware,
                             const ModuleTiming& timing = {});

}  // namespace shardscope::inline planner
