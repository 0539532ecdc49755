// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

namespace shardscope {

// The wheel over a form scrolls it. It changes a number, a choice or a slider only after a click on that very
// field, until the focus leaves it. One for the whole application.
class WheelGuard : public QObject {
 public:
  explicit WheelGuard(QObject* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QPointer<QWidget> clicked_;
};

}  // namespace shardscope
