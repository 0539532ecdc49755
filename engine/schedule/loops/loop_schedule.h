// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <optional>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/schedule/schedule.h"

namespace shardscope {

// The totals of a program whose long stretches are loops (Strategy::plan), as `schedule` gives them of the
// same program written out; only Timeline::schedules holds each collective of a loop once. In a time that
// does not depend on how many rounds a loop has, where those come to a steady state or follow each other at
// paces of their own, and that can be shown to be the same; else the rounds are played one by one, but
// planned once. None: loops whose rounds differ or are too many for that, products that end in another order
// than the program's, kernels, works left out. Errors: as schedule.
Result<std::optional<Timeline>> schedule_loops(const Program& program, const Hardware& hardware,
                                               const ScheduleOptions& options, const std::stop_token& stop);

}  // namespace shardscope
