// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include "app/window/document/clock.h"
#include "app/window/document/preferences.h"
#include "views/scene/story/now.h"

namespace shardscope::inline window {

// The sentence of the clock's moment, at the level that the preferences ask for. Told anew only when it
// changes.
class Narrator : public QObject {
  Q_OBJECT
 public:
  Narrator(Clock& clock, const Preferences& preferences, QObject* parent = nullptr);
  const QString& sentence() const { return sentence_; }  // empty: there is no run

 Q_SIGNALS:
  void changed();

 private:
  void read();

  Clock& clock_;
  const Preferences& preferences_;
  ShownRunPtr of_;
  CurrentBeats told_;
  SentenceLevel level_ = SentenceLevel::idea;
  QString sentence_;
};

}  // namespace shardscope::inline window
