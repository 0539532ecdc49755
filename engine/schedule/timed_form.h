// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope {

struct TimedForm {
  Program program;
  std::vector<std::string> assumptions;
};
// A program as `schedule` takes it: calls, fusions, loops and branches written out in the entry; a branch
// that data chooses is the one that takes longest. Errors: as written_out.
Result<TimedForm> timed_form(const Program& program, const Hardware& hardware);

}  // namespace shardscope
