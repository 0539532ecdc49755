// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QKeyEvent>
#include <QLabel>
#include <QTimer>
#include <QWidget>

#include "app/window/present/band.h"
#include "app/window/present/presentation.h"

namespace shardscope::inline window {

// What the speaker reads while a class sees the presentation: notes, the answer, the step that comes, and how
// long it has taken. Hears the keys of the presentation.
class PresenterWindow : public QWidget {
  Q_OBJECT
 public:
  PresenterWindow(Presentation& of, const Context& context);

  QString clockText() const { return clock_->text(); }
  QString said() const { return said_->text(); }
  QString note() const { return note_->text(); }
  QString answer() const { return answer_->text(); }
  QString next() const { return next_->text(); }
  const Scene& nextPicture() const { return picture_->scene(); }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QLabel* part(const QString& heading, class QVBoxLayout& into);
  void read();
  void readClock();
  Scene nextScene(const Canvas& canvas) const;

  Presentation& of_;
  const Context context_;
  QLabel *clock_, *said_, *note_, *answer_, *next_;
  Band* picture_;
  QTimer seconds_;
};

// "3:05", with what is planned "3:05 of 20:00", and by how much it is over that.
QString talk_time(double minutes, double planned);

}  // namespace shardscope::inline window
