// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

namespace shardscope::inline window {

// The wheel over a form scrolls it. It changes a number, a choice or a slider only after a click on that very
// field, until the focus leaves it. Keys change it only where somebody went to it, by a click, by Tab or by a
// key: a field that got the focus because a window opened or another one hid leaves them to the window. One
// for the whole application.
class WheelGuard : public QObject {
 public:
  explicit WheelGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QPointer<QWidget> clicked_, gone_to_;
};

}  // namespace shardscope::inline window
