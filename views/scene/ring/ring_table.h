// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/scene/ring/ring_parts.h"

namespace shardscope::inline views {

// Beat × device → what the device sends in it, in the names of the chips, and to whom when that is no
// neighbour. Columns are the page of devices that has the one in focus.
void draw_permutation_table(Pen& pen, const RingContext& context, const Rect& area);
// For so many devices `width` has room.
int32_t table_columns(const Pen& pen, const ViewInput& input, float width);

}  // namespace shardscope::inline views
