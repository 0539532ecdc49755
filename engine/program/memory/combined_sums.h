// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"
#include "engine/program/memory/laid_out_for.h"

namespace shardscope::inline program {

// All-reduces that become one, on GPUs also all-gathers and reduce-scatters, as XLA's combiners have it: of
// one kind, going the same way, none waiting for another, for CPUs all of them, else up to kCombineBytes
// together (combining.h). By instruction of the computation the number of its group; -1: it stays alone.
std::vector<int32_t> combined_sums(const Program& program, const Computation& computation, LaidOutFor chip);

}  // namespace shardscope::inline program
