// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QWidget>

#include "app/window/docks/context.h"

namespace shardscope::inline window {

// Five things in the window, one after the other, each shown where it is: of a run, or of the user's module
// on its page. Esc leaves at any time; Enter, Right and Left walk. That it was seen is kept.
class Tour : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kSteps = 5;

  Tour(const Context& context, Subject of);
  ~Tour() override;
  int step() const { return step_; }          // from 0
  QWidget* shown() const { return target_; }  // what the step points at
  QString text() const { return text_->text(); }
  QPushButton* nextButton() { return next_; }
  QPushButton* leaveButton() { return leave_; }
  QPushButton* moduleButton() { return module_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void show(int step);
  void place();
  void leave();
  QRect hole() const;

  const Context context_;
  const Subject of_;
  int step_ = 0;
  QPointer<QWidget> target_;
  QFrame* bubble_;
  QLayout* buttons_ = nullptr;
  QLabel *title_, *text_, *count_;
  QPushButton *back_, *next_, *leave_;
  QPushButton* module_;  // of the first step of a run's tour: goes on with a module from a file
};

// The module's where the page is about it and one is open, else a run's. The one that there is already begins
// again.
Tour* start_tour(const Context& context);

}  // namespace shardscope::inline window
