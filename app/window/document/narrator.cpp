// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/narrator.h"

namespace shardscope::inline window {

Narrator::Narrator(Clock& clock, const Preferences& preferences, QObject* parent)
    : QObject(parent), clock_(clock), preferences_(preferences) {
  clock_.tellOf(Changed::run | Changed::time | Changed::selected, this, &Narrator::read);
  connect(&preferences_, &Preferences::tellingChanged, this, &Narrator::read);
  read();
}

void Narrator::read() {
  const ShownRunPtr& shown = clock_.shown();
  const CurrentBeats told =
      shown && shown->story ? current_beats(*shown->story, clock_.selection()) : CurrentBeats();
  if (shown == of_ && told == told_ && preferences_.sentences() == level_) return;
  of_ = shown;
  told_ = told;
  level_ = preferences_.sentences();
  sentence_ =
      shown ? QString::fromStdString(sentence_now(shown->input(), clock_.selection(), level_)) : QString();
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
