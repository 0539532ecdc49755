// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/scene/pen.h"
#include "views/scene/step_transfers.h"

namespace shardscope {

// Steps × devices: the chunk that each device sends, the current step marked.
void draw_permutation_table(Pen& pen, const ViewInput& input, const Selection& selection,
                            const StepTransfers& now, const Rect& area);

}  // namespace shardscope
