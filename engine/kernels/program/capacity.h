// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/kernels/program/options.h"
#include "engine/kernels/program/program.h"

namespace shardscope::kernels {

// What every device's memories must hold at most, against the limits of `options`: sets peak_vmem, and adds a
// defect for each memory (and for the semaphores) that overflows.
void check_capacities(KernelProgram& program, const KernelOptions& options);

}  // namespace shardscope::kernels
