// SPDX-License-Identifier: Apache-2.0
// A picture with a moment and things that are pointed at, as steps of lessons ask for it.
#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/story/beat_words.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// `scene` with an outline round each thing: its items, or where a picture only names it, its name.
Scene outlined(Scene scene, const Story& story, const std::vector<StoryThing>& things, const Canvas& canvas);

struct PointedMoment {
  Picoseconds time = 0;
  std::vector<StoryThing> things;
  bool ahead = true;  // as in a Plane: a question must not stand beside its answer
};
// A view by its id (run_views.h) at a moment. Error: no such view.
Result<Scene> layout_pointed(std::string_view view, const ViewInput& input, const PointedMoment& moment,
                             const Canvas& canvas);

}  // namespace shardscope::inline views
