// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "engine/partition/rules/dot_axes.h"

namespace shardscope::inline partitioner {

// A convolution whose operands or result are cut along space; none: it is not, or its windows do not allow
// it.
std::optional<Sharded> space_case(const DotContext& cx, const DotLevel& level);

}  // namespace shardscope::inline partitioner
