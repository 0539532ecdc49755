// SPDX-License-Identifier: Apache-2.0
// Which beat a moment is in: tool bar, ruler, sentences and pictures count the same one.
#pragma once

#include <string>

#include "engine/story/story.h"

namespace shardscope::inline story {

// The beats that a moment tells of: those that end at it, else what is under way – that of the event which is
// looked at, else the next to end. What devices hold at the moment is what the beats before gave them
// (Story::held): of one that is under way its sentence says what will be when it ends.
struct CurrentBeats {
  int32_t first = 0, last = 0;  // they end together
  bool under_way = false;
  bool operator==(const CurrentBeats&) const = default;
};
CurrentBeats current_beats(const Story& story, Picoseconds time, int32_t event = -1);

// "step 3 of 12", "steps 3–4 of 12" of beats that end together, "before the first of 12 steps".
std::string beat_name(const Story& story, int32_t first, int32_t last);
// The same, "step 4 of 12, under way" while it is.
std::string name_of(const Story& story, const CurrentBeats& told);

}  // namespace shardscope::inline story
