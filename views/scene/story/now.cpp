// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/now.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr int32_t kMostSentences = 3;  // of beats that end together

int32_t beats_in(const Story& story) {
  return static_cast<int32_t>(story.beats().size()) - 1;
}

}  // namespace

CurrentBeats current_beats(const Story& story, const Selection& selection) {
  return current_beats(story, selection.time, selection.selected.event);
}

std::string clock_text(const ViewInput& input, const Selection& selection) {
  std::string now = format_picoseconds(selection.time);
  if (!input.story) return now;
  return name_of(*input.story, current_beats(*input.story, selection)) + " · " + now;
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
  return name_of(*input.story, told) + (told.under_way ? said("; at its end: ") : ": ") + text;
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

}  // namespace shardscope::inline views
