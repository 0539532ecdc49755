// SPDX-License-Identifier: Apache-2.0
// A run, beat by beat, as a figure of a page that plays.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "views/player/played_page.h"
#include "views/scene/core/layouts.h"
#include "views/scene/story/pointed.h"

namespace shardscope::inline views {

struct PlayedView {
  std::string id;                   // of run_views()
  float width = 640, height = 460;  // in logical pixels; one wider than 800 has a row of its own
};
// The view in a size in which nothing of it is out of sight, where there is one: a page cannot be dragged.
PlayedView whole_view(const ViewInput& input, const PlayedView& view);
// A moment of a run in one view, in both themes, with what is outlined and what its tooltips say. Error: no
// such view, with the nearest one.
Result<PlayedPicture> played_picture(const ViewInput& input, const PlayedView& view,
                                     const PointedMoment& now);
// What a pointer can be on in a picture, each once.
std::vector<ItemId> pointable(const Scene& scene);
// The beat that a moment tells of, in words.
PlayedBeat played_beat(const ViewInput& input, Picoseconds now);
// The last beat of each moment at which beats end: all of them, or as many as may be, evenly apart, with the
// first and the last.
std::vector<int32_t> played_beats(const ViewInput& input, int32_t most);
Picoseconds moment_of(const ViewInput& input, int32_t beat);

struct PlayedRunOptions {
  std::string title;  // plain text; empty: none
  std::vector<PlayedView> views;
  int32_t most_beats = 120;  // of a run with more, as many are shown, evenly apart; the figure says so
};

// <figure class="played"> of the run's beats, which begins at the one that tells most (telling_beat). A run
// whose story cannot be told has one picture a view, of its beginning, and says why.
// Errors: no such view, with the nearest one; told to stop.
Result<std::string> played_run(PlayedPage& page, const ViewInput& input, const PlayedRunOptions& options,
                               const std::stop_token& stop);

}  // namespace shardscope::inline views
