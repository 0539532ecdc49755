// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// All-reduces that become one, as XLA's combiner has it: going the same way, none waiting for another, up to
// kCombineBytes together (combining.h). By instruction of the computation the number of its group; -1: it
// stays alone.
std::vector<int32_t> combined_sums(const Program& program, const Computation& computation);

}  // namespace shardscope::inline program
