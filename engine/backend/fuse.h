// SPDX-License-Identifier: Apache-2.0
// What a compiler for accelerators makes one kernel of (XLA's priority fusion, Triton's softmax, sibling
// fusion), as a program that can be read, run and timed.
#pragma once

#include <functional>
#include <stop_token>
#include <vector>

#include "engine/backend/compile_as.h"
#include "engine/backend/kernel.h"
#include "engine/base/result.h"
#include "engine/hardware/hardware.h"
#include "engine/program/ir/program.h"

namespace shardscope::inline backend {

// Whether a compiler's backend has been over it: it is scheduled, or holds kernels of several operations.
bool is_fused(const Program& program);

// The same program with its elementwise work, movements and reductions in fusions: a producer goes into all
// who read it where that saves time on the chip, and kernels that read the same array side by side become
// one. Collectives, loops, sorts, calls and most products stay as they are; what loops and branches hold is
// fused too; `none` leaves all as it is. Where a compiler does so, rows in groups become one masked product
// (GPUs, CPUs), and products with vectors and long sums are written as reductions in parts (GPUs). Values are
// the same, bit for bit but for the order of sums. Errors: the memory's bandwidth is not published, stopped.
Result<Program> fuse(const Program& program, CompileAs as, const Hardware& hardware,
                     const std::stop_token& stop = {});

// The same with the kernels that `plan` makes of each computation that runs; its error.
using FusionPlan = std::function<Result<std::vector<Kernel>>(const Computation&)>;
Result<Program> fused_by(const Program& program, const FusionPlan& plan);

}  // namespace shardscope::inline backend
