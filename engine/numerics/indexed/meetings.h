// SPDX-License-Identifier: Apache-2.0
// Elements meet updates, one after the other: what a computation of scalars makes of the two takes the
// element's place.
#pragma once

#include <string_view>
#include <vector>

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

struct Meeting {
  int64_t element, update;  // places in the arrays
};
using Meetings = std::vector<Meeting>;  // of one device, in order

// Arrays that are changed, and those that they meet: [array][device].
struct MetArrays {
  std::vector<std::vector<Array>>& elements;
  const ArrayViews& updates;  // plain
};

// By the step's computation of that key.
Result<void> meet(Step& step, std::string_view key, const MetArrays& arrays,
                  const std::vector<Meetings>& of_devices);

}  // namespace shardscope::inline numerics
