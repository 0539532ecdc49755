// SPDX-License-Identifier: Apache-2.0
// What happened in a run, beat by beat: what `shardscope story` prints. Written as it is made, for it may be
// long.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/story/sentences.h"
#include "engine/story/story.h"

namespace shardscope::inline report {

struct StoryExcerpt {
  int32_t first = 0, last = 0;  // beats, both included
  bool holdings = false;
  SentenceLevel level = SentenceLevel::moves;  // of the text form
  // Of a strategy that is wrong on purpose: what must hold of every story and does not of this one
  // (first_broken), the first such thing; empty: on this mesh nothing.
  std::optional<std::string> breaks{};
};

// Takes the next piece of the text; false: it wants no more.
using TextSink = std::function<bool(std::string_view)>;

// {arrays, beats, unknown, added_twice} and with `breaks` that too, null when nothing is broken; a line per
// beat. Times in seconds, index and terms half open, `part` counts from 1; holdings are those at the end of
// the beat.
void story_json(const Story& story, const StoryExcerpt& excerpt, const TextSink& sink);
// A line per beat with its times and the sentence of a level, and a line per device with what it holds.
void story_text(const Story& story, const StoryExcerpt& excerpt, const TextSink& sink);

}  // namespace shardscope::inline report
