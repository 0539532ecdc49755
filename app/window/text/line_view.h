// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "app/window/text/line_sheet.h"

namespace shardscope::inline window {

// A text of any size to read: selected and copied like any text, the instruction under the cursor is told.
class LineView : public LineSheet {
  Q_OBJECT
 public:
  using LineSheet::LineSheet;
  // What a tooltip says of an instruction; nothing: none.
  void setWords(std::function<QStringList(const QString& instruction)> words) { words_ = std::move(words); }

 Q_SIGNALS:
  void instructionChosen(const QString& instruction);  // clicked, or reached by keys
  void editRequested(int line);                        // of its sharding

 protected:
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  TextPlace at(QPoint point) const;
  TextPlace moved(const QKeyEvent& key) const;  // by a key that moves the cursor; else where it is
  void copy() const;

  std::function<QStringList(const QString&)> words_;
};

}  // namespace shardscope::inline window
