// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSplitter>

#include "app/window/runs/program_view.h"
#include "app/window/text/find_bar.h"
#include "app/window/widgets/outline_tree.h"

namespace shardscope::inline window {

// The run's HLO; beside that of a long program its outline, where a click selects.
class ProgramPanel : public QSplitter {
  Q_OBJECT
 public:
  explicit ProgramPanel(Clock& clock, QWidget* parent = nullptr);
  ProgramView* text() { return text_; }
  OutlineTree* outline() { return outline_; }
  FindBar* findBar() { return find_; }
  void setTheme(const Theme& theme) { text_->setTheme(theme); }
  void find() { find_->begin(text_->textCursor().selectedText()); }

 private:
  void readRun();

  Clock& clock_;
  OutlineTree* outline_;
  ProgramView* text_;
  FindBar* find_;
};

}  // namespace shardscope::inline window
