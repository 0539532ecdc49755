// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QKeyEvent>
#include <QWidget>
#include <functional>
#include <memory>

#include "app/window/present/band.h"
#include "app/window/present/stage.h"
#include "app/window/present/talk.h"

namespace shardscope::inline window {

class PresenterWindow;

// A talk before a class: one or two docks over the whole screen, their texts large enough for the last row,
// of which run they are above, what is said below. The keys are those of view_keys() under "present"; Esc
// leaves whatever has the focus.
class Presentation : public QWidget {
  Q_OBJECT
 public:
  Presentation(const Context& context, std::unique_ptr<Talk> talk, const QString& dock);
  ~Presentation() override;

  Talk& talk() { return *talk_; }
  Stage& stage() { return *stage_; }
  const Scene& head() const { return head_->scene(); }
  const Scene& foot() const { return foot_->scene(); }
  QString place() const;  // at the end of the head
  bool blank() const { return blank_->isVisibleTo(this); }
  QString notes() const;                          // empty: they are not shown here
  PresenterWindow* presenter() const;             // null: there is none
  void openPresenter(QScreen* screen = nullptr);  // null: beside this
  bool press(const QKeySequence& key);            // whether it is a key of the talk
  RunCanvas* canvas() const;                      // the first one that is seen; null: none is
  QString subject() const;                        // what is presented, at the head
  double minutesGone() const { return static_cast<double>(since_.elapsed()) / 60'000; }

  // By id of a row of view_keys(), without "key.present.": what its keys do.
  static const std::map<QString, std::function<void(Presentation&)>>& deeds();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void closeEvent(QCloseEvent* event) override;

 private:
  friend struct PresentationDeeds;
  void read();  // what the talk is at
  void arrange();
  void nextView();  // of those that go with the moment
  Moments& moments() const { return talk_->moments(); }

  const Context context_;
  std::unique_ptr<Talk> talk_;
  Stage* stage_;
  QWidget* pictures_;  // of the talk's own, instead of the stage; null: it has none
  Band *head_, *foot_, *notes_;
  QWidget* blank_;
  QPointer<QWidget> presenter_;
  QElapsedTimer since_;
  QString own_;  // the dock that is shown where the talk names none
  float foot_height_ = 0;
  bool spotlight_ = false, notes_on_ = false;
};

// On the screen beside the window's, where there is one, and then with what the speaker reads on the
// window's; else over the only one. The one that there is already comes to the front.
Presentation* present(const Context& context, std::unique_ptr<Talk> talk, const QString& dock);

}  // namespace shardscope::inline window
