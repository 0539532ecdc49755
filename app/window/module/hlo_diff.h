// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QSet>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <functional>

#include "app/window/document/background.h"
#include "app/window/text/line_view.h"
#include "engine/program/stages/columns.h"

namespace shardscope::inline window {

// A text of a module with what it is called: at hand, or read when it is asked for, beside the GUI thread.
struct NamedText {
  QString name;
  IndexedTextPtr text;
  std::function<Result<IndexedTextPtr>()> read{};
};

// Modules side by side, each compared with the next: what the one does that the other does not, as tables and
// as marked lines; a click on a line marks its equals in all. Read and compared beside the GUI thread.
class HloDiff : public QDialog {
  Q_OBJECT
 public:
  static constexpr size_t kMostModules = 6;
  explicit HloDiff(QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  // What `module` can be compared with; the first one is. The last row of the list asks for a file.
  void open(const NamedText& module, const std::vector<NamedText>& others);
  void compare(const NamedText& with);  // in the place of the last one
  void addAnother();                    // the last one stays, and is compared with one more
  bool busy() const { return busy_; }
  QString said() const { return said_->text(); }
  QComboBox* others() { return others_; }
  QTreeWidget* counts() { return counts_; }
  QTreeWidget* lines() { return lines_; }
  LineView* before() { return views_.front(); }
  LineView* after() { return views_[modules_.size() - 1]; }
  LineView* view(size_t module) { return views_[module]; }
  size_t shown() const { return modules_.size(); }

 Q_SIGNALS:
  void fileRequested();
  void pageMade(const QString& html);  // that was asked for

 private:
  struct ListedLine {
    size_t module = 0;  // that has it
    QString sign, name, text;
  };
  struct Found {
    std::vector<IndexedTextPtr> texts;
    ModuleColumns columns;
    std::vector<ListedLine> lines;      // that differ, of each and the next; the first of many
    std::vector<QSet<QString>> differ;  // of each module: the names of all
  };
  static Result<void> list(const std::stop_token& stop, Found& found);
  void layOut();
  void connectParts();
  void begin();
  void take(const Result<Found>& found);
  void fillCounts();
  void fillLines();
  void choose(size_t module, const QString& instruction);
  void makePage();

  std::vector<NamedText> modules_, choices_;  // those that are compared, what can be
  std::optional<Found> found_;
  QLabel *title_, *said_;
  QComboBox* others_;
  QToolButton *add_, *page_;
  QTreeWidget *counts_, *lines_;
  QSplitter* texts_;
  std::vector<LineView*> views_;
  bool busy_ = false;
  Background work_, writing_;  // last: their threads end first
};

}  // namespace shardscope::inline window
