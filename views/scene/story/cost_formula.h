// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "views/scene/story/details.h"

namespace shardscope {

// Why an event takes as long as it does: the formula with the values put in, and the source of each constant.
// Empty where the hardware's formula does not give that duration: several hops, a slow chip, an operation
// whose cost is of another kind.
std::vector<Fact> duration_facts(const ViewInput& input, const Event& event);

}  // namespace shardscope
