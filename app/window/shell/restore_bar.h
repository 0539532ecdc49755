// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QToolBar>

#include "app/window/docks/context.h"
#include "app/window/document/journaling.h"

namespace shardscope::inline window {

QString said_of(const LeftJournal& left);  // "my.toml, 12 runs (today 14:02)"

// What a window left, offered above the pages: Restore, or Start fresh. Hidden while there is nothing to
// offer. What is not restored stays in the folder and is not offered again.
class RestoreBar : public QToolBar {
  Q_OBJECT
 public:
  RestoreBar(const Context& context, Journaling& journaling, QWidget* parent = nullptr);
  void offerNewest(const QString& folder);  // looked for beside this thread
  bool offers() const { return !left_.isEmpty(); }
  QPushButton* restoreButton() { return restore_; }
  QPushButton* freshButton() { return fresh_; }
  QString offered() const { return text_->text(); }

 private:
  void offer(const std::vector<LeftJournal>& left);
  void restore();
  void close();

  const Context& context_;
  Journaling& journaling_;
  QLabel* text_;
  QPushButton *restore_, *fresh_;
  QString left_;  // path of the journal that is offered
  Background looking_;
};

}  // namespace shardscope::inline window
