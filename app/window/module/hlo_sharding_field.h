// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractScrollArea>
#include <QLineEdit>

#include "app/window/text/instruction_lines.h"

namespace shardscope::inline window {

// A field over the sharding of one line of a text. Enter hands in what was typed, Esc or a click elsewhere
// leaves it.
class HloShardingField : public QLineEdit {
  Q_OBJECT
 public:
  HloShardingField(QAbstractScrollArea& view, const InstructionLines& lines);  // of the same text
  void openOn(int line);
  int line() const { return line_; }  // -1: closed
  void place();                       // after the text moved
  void closeField();
  void refuse(const QString& reason);  // of what was typed; the field stays open

 Q_SIGNALS:
  void typed(const QString& sharding);

 protected:
  bool event(QEvent* event) override;

 private:
  QAbstractScrollArea& view_;
  const InstructionLines& lines_;
  int line_ = -1;
};

}  // namespace shardscope::inline window
