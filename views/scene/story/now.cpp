// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/now.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int32_t kMostSentences = 3;  // of beats that end together

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

CurrentBeats current_beats(const Story& story, const Selection& selection) {
  const std::vector<Event>& events = story.timeline().events;
  const int32_t chosen = selection.selected.event;
  if (chosen >= 0 && static_cast<size_t>(chosen) < events.size()) {
    const Event& event = events[static_cast<size_t>(chosen)];
    const int32_t beat = story.beat_of(chosen);
    if (beat >= 0 && event.start <= selection.time && selection.time < event.end) return {beat, beat, true};
  }
  const int32_t ended = story.beat_at(selection.time);
  if (ended == beats_in(story) || story.moment_of(ended) == selection.time)
    return {first_together(story, ended), ended, false};
  return {ended + 1, last_together(story, ended + 1), true};
}

std::string beat_name(const Story& story, int32_t first, int32_t last) {
  const int32_t count = beats_in(story);
  if (last <= 0) return say("step 0 of {}, before", count);
  return first == last ? say("step {} of {}", last, count) : say("steps {}–{} of {}", first, last, count);
}

std::string clock_text(const ViewInput& input, Picoseconds time) {
  std::string now = format_picoseconds(time);
  if (!input.story) return now;
  const Story& story = *input.story;
  const int32_t ended = story.beat_at(time);
  const std::string name = beat_name(story, first_together(story, ended), ended);
  return fmt::format("{}{} · {}", story.moment_of(ended) < time && ended > 0 ? said("after ") : "", name,
                     now);
}

std::string why_untold(const ViewInput& input) {
  if (input.story) return "";
  if (std::string unread = why_unread(input); !unread.empty()) return unread;
  if (input.telling) return said("Preparing the story …");
  if (input.stopped) return said("The story was stopped before its end: show the run again.");
  const Timeline& timeline = input.run.timeline;
  if (timeline.event_count > 0 && timeline.events.empty())
    return said("Only the totals of this run were kept, so its story is not available.");
  return said("The story of this run is not available: it has too many pieces to follow.");
}

std::string why_no_beats(const ViewInput& input) {
  if (!input.story) return why_untold(input);
  if (beats_in(*input.story) > 0) return "";
  const Timeline& timeline = input.run.timeline;
  if (timeline.event_count > 0 && timeline.events.empty())
    return said("Only the totals of this run were kept: what happened next is not known.");
  if (input.run.status != RunStatus::done) return said("The run did not finish: nothing happened after.");
  return said("Nothing happens after: this program takes no time.");
}

std::string sentence_of(const ViewInput& input, int32_t beat, SentenceLevel level) {
  if (!input.story) return why_untold(input);
  std::string text = sentences(*input.story, beat).at(level);
  if (const std::string why = why_no_beats(input); !why.empty()) text += (text.empty() ? "" : " ") + why;
  return text;
}

std::string sentence_now(const ViewInput& input, const Selection& selection, SentenceLevel level) {
  if (!input.story) return why_untold(input);
  const CurrentBeats told = current_beats(*input.story, selection);
  std::string text;
  for (int32_t beat = told.first; beat <= told.last && beat < told.first + kMostSentences; ++beat)
    text += (text.empty() ? "" : " · ") + sentence_of(input, beat, level);
  if (const int32_t more = told.last - told.first + 1 - kMostSentences; more > 0)
    text += say(" · and {} more at once", more);
  // The sentence of beat 0 says itself that it is before.
  const std::string name = told.last <= 0 ? say("step 0 of {}", beats_in(*input.story))
                                          : beat_name(*input.story, told.first, told.last);
  return fmt::format("{}{}: {}", name, told.under_way ? said(", under way") : "", text);
}

int32_t telling_beat(const Story& story) {
  const int32_t middle = (beats_in(story) + 1) / 2;
  int32_t best = middle;
  int32_t distance = beats_in(story) + 1;
  for (int32_t beat = 1; beat <= beats_in(story); ++beat) {
    const int32_t away = std::abs(beat - middle);
    if (story.beats()[static_cast<size_t>(beat)].transfer_step < 0 || away >= distance) continue;
    best = beat;
    distance = away;
  }
  return best;
}

}  // namespace shardscope
