// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QTabBar>
#include <QWidget>

#include "app/window/module/hlo_chosen.h"
#include "app/window/module/hlo_text_view.h"
#include "app/window/module/text_pair.h"
#include "app/window/text/find_bar.h"
#include "app/window/text/line_view.h"

namespace shardscope::inline window {

// A module's text beside that of the partitioned program, and the lines between them. A text that is too
// large to be typed in is shown to be read, its shardings edited one by one.
class HloTexts : public QWidget {
  Q_OBJECT
 public:
  explicit HloTexts(QWidget* parent = nullptr);
  HloTextView* source() { return source_; }  // that is typed in
  LineView* readOnly() { return read_only_; }
  LineView* made() { return made_; }
  LineLinkCanvas* links() { return links_; }
  FindBar* findBar() { return find_; }
  // Of the source, whichever view shows it.
  InstructionLines& lines();
  QWidget* sourceView() { return views_->currentWidget(); }
  HloShardingField* shardingField();
  bool isReadOnly() const { return views_->currentIndex() == 1; }
  void setText(const IndexedTextPtr& text);  // chooses the view by its size
  IndexedTextPtr text() const;               // as it is now
  QString plainText() const { return source_->toPlainText(); }

  void setTheme(const Theme& theme);
  void setTitle(const QString& name);
  void setTitlesShown(bool on);
  void setReading(const HloReading* reading);  // null: none; must outlive its being shown
  // Marks what is chosen in both texts and scrolls to it, to line `first_made` in the partitioned one; a text
  // that has the focus stays where it is.
  void show(const HloChosen& chosen, const QString& first_made);
  void find();  // in the text with the focus, or in the one that had it

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Pair {
    std::string left, right;
    int from = 0, to = 0;  // lines
  };
  void connectFinding();
  void drawLinks();
  void goTo(TextPlace place, int length);
  void fit();  // both texts, or one at a time, a tab each

  QTabBar* tabs_;
  QLabel *source_title_, *made_title_;
  QString name_;
  QStackedWidget* views_;
  HloTextView* source_;
  LineView* read_only_;
  HloShardingField* read_only_field_;
  LineView* made_;
  LineLinkCanvas* links_;
  TextPair pair_;
  FindBar* find_;
  bool titles_ = true;
  bool finds_in_made_ = false;
  const HloReading* reading_ = nullptr;
  std::vector<Pair> chosen_;
};

}  // namespace shardscope::inline window
