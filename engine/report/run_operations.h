// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "engine/report/operation_name.h"
#include "engine/run/difference.h"
#include "engine/story/story.h"

namespace shardscope {

// What a run does, by what it does it to: one row an operation of difference.h.
struct RunOperation {
  std::string key;
  DotSize product{0, 0, 0, 0};  // m 0: it is none
  OperationSide side;
};
// `device`: whose time counts. `story`: which arrays travel; without one a collective's key has none. In the
// order in which the program has them. Empty without events.
std::vector<RunOperation> operations_of(const Run& run, const Story* story, int32_t device);

}  // namespace shardscope
