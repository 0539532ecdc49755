// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

#include "app/window/widgets/fitted_label.h"

namespace shardscope::inline window {

// " · 12 s left", once there is something to judge by.
QString time_left(double elapsed_s, double fraction);

// A dock's own job: the button that starts it, how far it is, the button that cancels it.
class JobBar : public QWidget {
  Q_OBJECT
 public:
  explicit JobBar(const QString& start, QWidget* parent = nullptr);
  bool busy() const { return busy_; }
  QPushButton* startButton() { return start_; }
  QPushButton* cancelButton() { return cancel_; }
  QString message() const { return what_->said(); }
  void begin();
  void setProgress(const QString& what, double fraction);
  void end(const QString& message, bool failed = false);

 Q_SIGNALS:
  void startRequested();
  void cancelRequested();

 private:
  QPushButton *start_, *cancel_;
  QProgressBar* bar_;
  FittedLabel* what_;
  QElapsedTimer since_;
  bool busy_ = false;
};

}  // namespace shardscope::inline window
