// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Whether a ring of this size shows every device and link: on paper nothing can be moved.
bool ring_in_sight(const ViewInput& input, const RingViewport& viewport, const Canvas& canvas);

}  // namespace shardscope::inline views
