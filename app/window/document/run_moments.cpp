// SPDX-License-Identifier: Apache-2.0
#include "app/window/document/run_moments.h"

#include "app/window/document/language.h"
#include "views/scene/story/now.h"

namespace shardscope::inline window {
namespace {

QString nothing_said(Subject subject) {
  switch (subject) {
    case Subject::runs:
      return "nothing ran"_tr;
    case Subject::module:
      return "the module has not run"_tr;
    case Subject::neither:
      break;
  }
  return {};
}

}  // namespace

RunMoments::RunMoments(Clock& clock, const Preferences& preferences, QObject* parent)
    : Moments(parent), clock_(clock), narrator_(clock, preferences) {
  clock_.tellOf(Changed::run | Changed::time | Changed::selected, this, &Moments::changed);
  connect(&narrator_, &Narrator::changed, this, &Moments::changed);
  connect(&clock_.player(), &RunPlayer::speedChanged, this, &Moments::changed);
  connect(&clock_.player(), &RunPlayer::playingChanged, this, &Moments::playingChanged);
}

QString RunMoments::who() const {
  return words_of(clock_.of(clock_.subject()));
}

QString RunMoments::words() const {
  if (!clock_.shown()) return nothing_said(clock_.subject());
  return QString::fromStdString(clock_text(clock_.shown()->input(), clock_.selection()));
}

Details RunMoments::details() const {
  if (!clock_.shown()) return {};
  return details_of(clock_.shown()->input(), clock_.selection());
}

}  // namespace shardscope::inline window
