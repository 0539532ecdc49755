// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "engine/program/ir/program.h"

namespace shardscope {

// Bytes that the busiest device holds at once in any order in which the program's instructions may run: the
// inputs with what some instruction reads and makes, or with all that is kept.
// `free_rounding`: a convert may take no time, and then need not hold both.
int64_t least_peak_bytes(const Program& program, bool free_rounding);

}  // namespace shardscope
