// SPDX-License-Identifier: Apache-2.0
// The pictures of a run, in one table. Docks, menus, `--view`, `render --view`, the names of exported files
// and the tests that draw each of them are read from it: a new one is a row here and its layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// A plane that is panned and zoomed: a point p of the layout stands at p · zoom + pan.
struct Plane {
  float zoom = 1;
  Point pan;
  std::vector<int64_t> sliders;  // of an array's dimensions beyond two: the block that is looked at
  bool ahead = true;             // may it tell what comes later, as the ring's table does
  bool numbers = false;          // does it show the elements of its arrays
  bool operator==(const Plane&) const = default;
};

struct RunView {
  // What dragging, the wheel and clicks do beside selecting: nothing, pan and zoom a plane, walk along the
  // run's time, or mark a part of it.
  enum class Moves { nothing, plane, time, parts };
  const char* id;     // "ring"
  const char* title;  // of its dock
  const char* shows;  // what its canvas says before the first run
  Moves moves;
  Scene (*layout)(const ViewInput& input, const Plane& plane, const Selection& selection,
                  const Canvas& canvas);
  // What of the selection is to be seen in the picture: two of which the same is left have the same picture.
  Selection (*seen)(const ViewInput& input, const Plane& plane, const Selection& selection,
                    const Canvas& canvas);
};
const std::vector<RunView>& run_views();
std::vector<std::string> view_names();  // their ids
// Whether these stand below each other where a step shows both, not side by side: one of them is wide and
// low, or no picture of a run.
bool stand_below(const std::vector<std::string>& ids);

// A view at a fixed size, for reports and `render`. Error: none has this id, with the nearest one.
Result<Scene> layout_named(std::string_view view, const ViewInput& input, const Selection& selection,
                           const Canvas& canvas, const Plane& plane = {});

}  // namespace shardscope::inline views
