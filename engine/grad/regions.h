// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/grad/turn.h"

namespace shardscope::inline grad {

// Where a manual region begins or ends. An array that enters is one on every device that holds a copy, so
// their cotangents are added up; of copies that leave, which are equal, each stands for its share.
Result<void> grad_region_end(const GradTurn& t);

}  // namespace shardscope::inline grad
