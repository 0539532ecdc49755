// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/ir/program.h"

namespace shardscope::inline tuner {

// Bytes that the busiest device holds at once in any order in which the program's instructions may run: the
// inputs with what some instruction reads and makes, or with all that is kept.
// `by_product`: done_by_products; what takes no time need not hold both its operand and its result.
int64_t least_peak_bytes(const Program& program, const std::vector<bool>& by_product);

}  // namespace shardscope::inline tuner
