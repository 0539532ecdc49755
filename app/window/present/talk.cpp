// SPDX-License-Identifier: Apache-2.0
#include "app/window/present/talk.h"

#include <algorithm>

#include "app/window/document/language.h"

namespace shardscope::inline window {

StepsTalk::StepsTalk(Moments& moments, QObject* parent) : Talk(parent), moments_(moments) {
  connect(&moments_, &Moments::changed, this, &Talk::changed);
}

StoryTalk::StoryTalk(Clock& clock, const Preferences& preferences, QObject* parent)
    : Talk(parent), clock_(clock), preferences_(preferences), moments_(clock, preferences) {
  connect(&moments_, &Moments::changed, this, &Talk::changed);
}

void StoryTalk::again() {
  clock_.player().stepBy(-1);
  clock_.player().playBeat();
}

QString StoryTalk::said() const {
  return clock_.shown() ? moments_.sentence() : "Run something first: leave with Esc, then run all."_tr;
}

QString StoryTalk::next() const {
  const auto moment = nextMoment();
  if (!moment) return {};
  Selection then;
  then.time = *moment;
  return QString::fromStdString(sentence_now(clock_.shown()->input(), then, preferences_.sentences()));
}

// Beats that end together are one step.
std::optional<Picoseconds> StoryTalk::nextMoment() const {
  if (clock_.story() == nullptr || at() >= last()) return {};
  return clock_.story()->moment_of(at() + 1);
}

QString StoryTalk::note() const {
  if (clock_.story() == nullptr) return {};
  const auto& levels = sentence_levels();
  const auto here = std::find(levels.begin(), levels.end(), preferences_.sentences());
  const auto deeper = std::next(here) == levels.end() ? here : std::next(here);
  return QString::fromStdString(sentence_now(clock_.shown()->input(), clock_.selection(), *deeper));
}

}  // namespace shardscope::inline window
