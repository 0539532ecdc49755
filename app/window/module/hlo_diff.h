// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QTreeWidget>
#include <functional>

#include "app/window/document/background.h"
#include "app/window/text/line_view.h"
#include "engine/session/modules/module_diff.h"

namespace shardscope {

// A text of a module with what it is called: at hand, or read when it is asked for, beside the GUI thread.
struct NamedText {
  QString name;
  IndexedTextPtr text;
  std::function<Result<IndexedTextPtr>()> read{};
};

// Two modules side by side: what the one does that the other does not, as tables and as marked lines. Read
// and compared beside the GUI thread.
class HloDiff : public QDialog {
  Q_OBJECT
 public:
  explicit HloDiff(QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  // What `module` can be compared with; the first one is. The last row of the list asks for a file.
  void open(const NamedText& module, const std::vector<NamedText>& others);
  void compare(const NamedText& with);
  bool busy() const { return busy_; }
  QString said() const { return said_->text(); }
  QComboBox* others() { return others_; }
  QTreeWidget* counts() { return counts_; }
  QTreeWidget* lines() { return lines_; }
  LineView* before() { return before_; }
  LineView* after() { return after_; }

 Q_SIGNALS:
  void fileRequested();

 private:
  void layOut();
  struct Found {
    IndexedTextPtr text;  // of what it is compared with
    ModuleDiff diff;
  };
  void take(const Result<Found>& found);
  void fill(const ModuleDiff& diff);

  NamedText module_;
  std::vector<NamedText> choices_;
  QLabel *title_, *said_;
  QComboBox* others_;
  QTreeWidget *counts_, *lines_;
  LineView *before_, *after_;
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope
