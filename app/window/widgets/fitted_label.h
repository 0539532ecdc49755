// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>

namespace shardscope::inline window {

// One line of plain text that asks for no room: as much as fits, then "…"; its tip and its accessible name
// say all of it.
class FittedLabel : public QLabel {
 public:
  explicit FittedLabel(QWidget* parent);
  void say(const QString& text);
  const QString& said() const { return said_; }
  QSize minimumSizeHint() const override { return {0, QLabel::minimumSizeHint().height()}; }

 protected:
  void resizeEvent(QResizeEvent* event) override;

  virtual void fit();  // shows as much of the text as there is room for

 private:
  QString said_;
};

}  // namespace shardscope::inline window
