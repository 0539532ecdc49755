// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/scene/core/pen.h"
#include "views/scene/story/collective_chunks.h"
#include "views/scene/story/step_transfers.h"

namespace shardscope {

// Steps × devices: the block that each device sends, the current step marked.
void draw_permutation_table(Pen& pen, const ViewInput& input, const Selection& selection,
                            const StepTransfers& now, CarriedBlocks& carried, const Rect& area);

}  // namespace shardscope
