// SPDX-License-Identifier: Apache-2.0
// What rules of collectives share, whether all devices are here or not.
#pragma once

#include <vector>

#include "engine/numerics/rules/execution.h"

namespace shardscope::inline numerics {

// Errors: several arrays where one is run at a time; elements without arrays.
Result<void> check_collective(Step& step);
// What a device has that nobody sends to.
ViewPtr zeros_of(Step& step);

// Plain operands by DeviceId, of all devices that share a group of the step's collective with one that is
// here; the others are null.
Result<std::vector<ViewPtr>> operands_of_groups(Step& step, size_t k);

}  // namespace shardscope::inline numerics
