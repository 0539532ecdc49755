// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/run/kernel/kernel_time.h"
#include "views/scene/chip/kernel_canvas.h"
#include "views/scene/story/details.h"

namespace shardscope::inline views {

// A step of a kernel in facts: of what is selected on its canvas, else of the kernel; where its devices
// stand, which copies are under way and what was found. `time`: on its chip, where that is known.
Details details_of_kernel(const KernelViewInput& input, const KernelTime* time, const ItemId& selected);

}  // namespace shardscope::inline views
