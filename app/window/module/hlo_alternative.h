// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "app/window/document/background.h"
#include "app/window/module/hlo_chosen.h"
#include "engine/session/modules/alternatives.h"

namespace shardscope::inline window {

using HloReadingPtr = std::shared_ptr<const HloReading>;

// "And if this collective were not there?": what the module would cost without the one that is selected,
// found beside the GUI thread, and the sharding that would bring it about.
class HloAlternative : public QWidget {
  Q_OBJECT
 public:
  explicit HloAlternative(QWidget* parent = nullptr);
  // A collective of what was read; -1: none. A small module's is looked for at once, a large
  // one's when it is asked for.
  void setCollective(const HloReadingPtr& reading, int collective);
  void ask();
  void cancel();
  bool busy() const { return busy_ || pause_.isActive(); }  // at it, or about to be
  QString text() const { return text_->text(); }
  QToolButton* applyButton() { return apply_; }

 Q_SIGNALS:
  void applied(const QString& instruction, const QString& sharding);

 private:
  void say(const QString& text, bool warns = false);

  QLabel* text_;
  QToolButton *ask_, *apply_;
  HloReadingPtr reading_;
  int collective_ = -1;
  std::optional<ShardingEdit> edit_;
  bool busy_ = false;
  QTimer pause_;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
