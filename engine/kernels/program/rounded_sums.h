// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

// Adds a defect for each line that adds partial products which were rounded to a narrower type than f32 on
// their way: the sum is then of other numbers than a product summed in f32, whatever the schedule.
void check_rounded_sums(KernelProgram& program);

}  // namespace shardscope::kernels
