// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPointer>
#include <QTimer>

#include "app/window/docks/context.h"

namespace shardscope::inline window {

// A file dragged over any part of the window, a floating view or a dialog of it: says what dropping it will
// do, or why it cannot be opened; dropped, it is opened.
class FileDrop : public QObject {
  Q_OBJECT
 public:
  explicit FileDrop(const Context& context);
  QString said() const { return over_ == nullptr ? QString() : text_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show(QWidget& window);
  void hide();
  void drag(QWidget& over, QDropEvent& event);
  void drop(QWidget& over, QDropEvent& event);

  const Context& context_;
  QPointer<QLabel> over_;  // while it says something
  QTimer leaving_;
  QString path_, text_, refusal_;
};

}  // namespace shardscope::inline window
