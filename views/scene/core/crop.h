// SPDX-License-Identifier: Apache-2.0
// Pictures cut and put together: for paper, where a picture is as large as what it shows.
#pragma once

#include <vector>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// What lies in `part`, which becomes the whole picture.
Scene part_of(const Scene& scene, const Rect& part);
// Below each other, on the first one's background.
Scene stacked(const std::vector<Scene>& scenes);
Scene beside_each_other(const std::vector<Scene>& scenes);  // likewise
// Around all that is drawn; what has the background's colour, or none, is not. Empty: nothing is.
Rect content_of(const Scene& scene, const MeasureText& measure);

}  // namespace shardscope::inline views
