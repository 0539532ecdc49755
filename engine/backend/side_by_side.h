// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/backend/kernel_graph.h"

namespace shardscope::inline backend {

// Makes one kernel of two that read the same array, or of which one reads what the other makes, where both go
// through as many elements and none waits for the other by way of a third: it is read once.
void join_side_by_side(KernelGraph& graph);

}  // namespace shardscope::inline backend
