// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "engine/numerics/array/copy.h"

namespace shardscope::inline numerics {

// `parts` arrays that add up to `whole`: each element is the sum of what two of them hold, the next two for
// the next element, and 0 in the others. So every array counts, and any of them added up in any order stay
// twice as large as the elements at most: what is exact for the elements is exact for the sums.
std::vector<ViewPtr> partial_sums_of(const View& whole, int64_t parts);

}  // namespace shardscope::inline numerics
