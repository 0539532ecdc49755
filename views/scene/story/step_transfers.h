// SPDX-License-Identifier: Apache-2.0
// The transfers of one step of the clock.
#pragma once

#include <optional>

#include "views/scene/core/layouts.h"

namespace shardscope {

struct StepTransfers {
  TraceSource::Step step;
  std::vector<Event> transfers;  // by start; without further hops
  std::vector<Event> hops;       // every link crossed: transfers and their further hops
};
// None when there is no such step.
std::optional<StepTransfers> step_transfers(const ViewInput& input, int32_t place);

}  // namespace shardscope
