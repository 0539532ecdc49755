// SPDX-License-Identifier: Apache-2.0
// A run whose products and collectives take the time of the kernels that stand for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/hardware/hardware.h"
#include "engine/plan/kernel_call.h"
#include "engine/program/ir/program.h"
#include "engine/request/experiment.h"

namespace shardscope::kernels {

struct KernelCalls {
  std::vector<KernelCall> calls;   // by instruction
  std::vector<std::string> notes;  // which kernel stands for what, and what keeps its flat time and why
};

// Of the entry's dots, collectives or both those that a kernel stands for, timed on `hardware`. An
// instruction without a kernel, and one whose kernel refuses its sizes or overflows a memory, is left to the
// flat model and noted.
KernelCalls kernel_calls(const Program& program, const Hardware& hardware, KernelTiming timing);

}  // namespace shardscope::kernels
