// SPDX-License-Identifier: Apache-2.0
#include "engine/story/moment.h"

#include "engine/base/say.h"

namespace shardscope::inline story {
namespace {

int32_t beats_in(const Story& story) {
  return static_cast<int32_t>(story.beats().size()) - 1;
}

// The first beat that ends together with `beat`.
int32_t first_together(const Story& story, int32_t beat) {
  while (beat > 1 && story.moment_of(beat - 1) == story.moment_of(beat)) --beat;
  return beat;
}

int32_t last_together(const Story& story, int32_t beat) {
  return story.beat_at(story.moment_of(beat));
}

}  // namespace

CurrentBeats current_beats(const Story& story, Picoseconds time, int32_t event) {
  const std::vector<Event>& events = story.timeline().events;
  if (event >= 0 && static_cast<size_t>(event) < events.size()) {
    const Event& chosen = events[static_cast<size_t>(event)];
    const int32_t beat = story.beat_of(event);
    if (beat >= 0 && chosen.start <= time && time < chosen.end) return {beat, beat, true};
  }
  const int32_t ended = story.beat_at(time);
  if (ended == beats_in(story) || story.moment_of(ended) == time)
    return {first_together(story, ended), ended, false};
  return {ended + 1, last_together(story, ended + 1), true};
}

std::string beat_name(const Story& story, int32_t first, int32_t last) {
  const int32_t count = beats_in(story);
  if (last <= 0) return say_count("before the only step", "before the first of {} steps", count);
  return first == last ? say("step {} of {}", last, count) : say("steps {}–{} of {}", first, last, count);
}

std::string name_of(const Story& story, const CurrentBeats& told) {
  return beat_name(story, told.first, told.last) + (told.under_way ? said(", under way") : "");
}

}  // namespace shardscope::inline story
