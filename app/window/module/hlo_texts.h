// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QWidget>

#include "app/window/module/hlo_canvases.h"
#include "app/window/module/hlo_chosen.h"
#include "app/window/module/hlo_text_view.h"

namespace shardscope {

// A module's text beside that of the partitioned program, and the lines between them.
class HloTexts : public QWidget {
  Q_OBJECT
 public:
  explicit HloTexts(QWidget* parent = nullptr);
  HloTextView* source() { return source_; }
  HloTextView* made() { return made_; }
  LineLinkCanvas* links() { return links_; }
  void setTheme(const Theme& theme);
  void setTitle(const QString& name);
  void setTitlesShown(bool on);
  void setReading(const HloReading* reading);  // null: none; must outlive its being shown
  // Marks what is chosen in both texts and scrolls to it, to line `first_made` in the partitioned one; a text
  // that has the focus stays where it is.
  void show(const HloChosen& chosen, const QString& first_made);

 private:
  void drawLinks();

  QLabel *source_title_, *made_title_;
  HloTextView *source_, *made_;
  LineLinkCanvas* links_;
  const HloReading* reading_ = nullptr;
  HloChosen chosen_;
};

}  // namespace shardscope
