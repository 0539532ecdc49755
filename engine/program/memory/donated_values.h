// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/program/memory/value_flow.h"

namespace shardscope::inline program {

// Results take the memory of arguments that are donated: `flow.aliased`, and such an argument's home.
// `given`: by the entry's parameter its values, leaf by leaf.
void take_donated(const Program& program, const std::vector<std::vector<int32_t>>& given, ValueFlow& flow);

}  // namespace shardscope::inline program
