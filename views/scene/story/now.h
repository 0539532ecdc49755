// SPDX-License-Identifier: Apache-2.0
// The moment in words: toolbar, ruler, sentences and pictures count the same beats.
#pragma once

#include <string>
#include <vector>

#include "engine/story/moment.h"
#include "engine/story/sentences.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Those of the selection's moment, and of its event.
CurrentBeats current_beats(const Story& story, const Selection& selection);
// "step 3 of 12 · 46.6 µs"; between two ends "step 4 of 12, under way · 47 µs".
std::string clock_text(const ViewInput& input, const Selection& selection);
// "step 3 of 12: (0,0) sends a3 to (0,1); …", with what is under way at the moment said to be: "step 4
// of 12, under way; at its end: …".
std::string sentence_now(const ViewInput& input, const Selection& selection, SentenceLevel level);
// The same without the beat's name, of a given beat.
std::string sentence_of(const ViewInput& input, int32_t beat, SentenceLevel level);
// Why there is no story: it is being told, or cannot be; empty when there is one.
std::string why_untold(const ViewInput& input);
// Why there is no beat after the first; empty when there is.
std::string why_no_beats(const ViewInput& input);

// A beat in the middle of the run in which something travels: what a still picture shows.
int32_t telling_beat(const Story& story);

}  // namespace shardscope::inline views
