// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>

#include "app/window/text/find_bar.h"

namespace shardscope::inline window {

// Searches the text or the table of `panel` that has the focus, else the one that was searched last or stands
// first. A row of a table is a line.
class PanelFind : public FindBar {
  Q_OBJECT
 public:
  explicit PanelFind(QWidget* panel);
  void find() override;

 private:
  QWidget* wanted() const;
  void go(int line, int column, int length);

  QWidget* panel_;
  QPointer<QWidget> searched_;
};

}  // namespace shardscope::inline window
