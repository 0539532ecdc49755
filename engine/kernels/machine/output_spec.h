// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/kernels/machine/machine.h"

namespace shardscope::kernels {

// Whether what out_specs say of output `buffer` is so on a machine that ran to its end, with numbers: none
// where it is, or where they say nothing.
std::optional<KernelFinding> judge_spec(const KernelProgram& program, const Machine& machine, int32_t buffer);

}  // namespace shardscope::kernels
