// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace shardscope::inline window {

// Plain text in whole lines: as many words as the allowed lines hold, then "…"; its tip and its accessible
// name say all of it.
class FittedParagraph : public QLabel {
 public:
  explicit FittedParagraph(QWidget* parent);
  void say(const QString& text);
  const QString& said() const { return said_; }
  // Takes the height of all lines of the text, of `most` at most.
  void showLines(int most);
  int linesIn(int height) const;  // that a label of that height shows, at least one

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit();
  int lineHeight() const;
  int padding() const { return height() - contentsRect().height(); }  // of its style

  QString said_;
  int most_ = 1;
};

}  // namespace shardscope::inline window
