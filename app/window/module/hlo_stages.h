// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QStackedWidget>
#include <QToolButton>

#include "app/window/document/background.h"
#include "app/window/module/hlo_alternative.h"
#include "app/window/module/hlo_texts.h"
#include "app/window/widgets/picture_canvas.h"
#include "engine/program/stages/strip.h"
#include "views/scene/module/stage_strip.h"

namespace shardscope::inline window {

using StageStripPtr = std::shared_ptr<const StageStrip>;

// The stages of the page's module as a strip above its texts. A click on one shows it beside the stage that
// it was made from, what differs marked; with Ctrl beside any other; a click on the first the module as it is
// typed. A line chosen in one text marks what belongs with it in the other and in all stages. Stages and
// their texts are made beside the GUI thread.
class HloStages : public QWidget {
  Q_OBJECT
 public:
  explicit HloStages(HloTexts* texts, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  void setReading(const HloReadingPtr& reading);  // null: none
  void follow(const QString& source);             // an instruction of the module is chosen elsewhere
  void show(int left, int right);                 // places in the strip; 0, 0: the module as it is typed
  bool busy() const { return busy_; }
  const StageStripPtr& stages() const { return stages_; }  // null: not made yet
  std::pair<int, int> shown() const { return {view_.left, view_.right}; }
  PictureCanvas* strip() { return strip_; }
  LineView* left() { return left_; }
  LineView* right() { return right_; }
  LineLinkCanvas* links() { return links_; }
  QToolButton* differences() { return differences_; }

 Q_SIGNALS:
  void sourceChosen(const QString& instruction);  // of the module, by a line of a later stage

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePair();
  void fit();  // both texts, or one of them where they would be too narrow to read
  void take(StageStripPtr made);
  void stageClicked(int stage);
  void drawStrip();
  void drawLinks();
  void choose(int stage, const QString& instruction);
  void markDifferences();
  QStringList words(int stage, const QString& instruction) const;
  const StripStage& at(int stage) const { return (*stages_)[static_cast<size_t>(stage)]; }

  HloTexts* texts_;
  PictureCanvas* strip_;
  QStackedWidget* pages_;
  LineView *left_, *right_;
  LineLinkCanvas* links_;
  TextPair pair_;
  QLabel *left_title_, *right_title_;
  QToolButton *differences_, *other_;
  StageStripPtr stages_;
  StripView view_;
  int wanted_ = 0;  // the stage at the right, once there are stages again
  bool busy_ = false, telling_ = false;
  Background gone_, making_, printing_;  // last: their threads end first
};

}  // namespace shardscope::inline window
