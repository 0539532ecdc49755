// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFrame>
#include <QLabel>
#include <QSlider>

namespace shardscope::inline window {

// The share of its normal speed that one chip or link has: a slider in steps of 5 %, common shares and back
// to normal as buttons. Says every change at once; closes on a click elsewhere, Esc or Enter.
class SpeedPopup : public QFrame {
  Q_OBJECT
 public:
  // A link can be broken: its slider begins at 0.
  SpeedPopup(const QString& title, double speed, bool may_break, QWidget* parent);
  QSlider* slider() { return slider_; }

 Q_SIGNALS:
  void speedChanged(double speed);

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QSlider* slider_;  // percent
  QLabel* shown_;
};

}  // namespace shardscope::inline window
