// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/window/docks/context.h"
#include "app/window/runs/compare_panel.h"

namespace shardscope::inline window {

// The runs that are selected together, side by side.
ComparePanel* make_compare(const Context& context);
// The two best runs of the experiment; says so when there are none.
void compare_best(const Context& context);

}  // namespace shardscope::inline window
