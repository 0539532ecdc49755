// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline program {

// All-reduces that become one, as XLA's combiner has it: of one type, sum and groups, none waiting for
// another, up to 30 MiB together. By instruction of the computation the number of its group; -1: it stays
// alone.
std::vector<int32_t> combined_sums(const Program& program, const Computation& computation);

}  // namespace shardscope::inline program
