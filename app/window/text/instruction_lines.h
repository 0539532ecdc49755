// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <QSet>
#include <QString>
#include <string>
#include <utility>

namespace shardscope {

// A module's text in a view, instruction by instruction, whether it can be typed into or is only read.
class InstructionLines {
 public:
  InstructionLines() = default;
  InstructionLines(const InstructionLines&) = delete;
  InstructionLines& operator=(const InstructionLines&) = delete;
  virtual ~InstructionLines() = default;

  virtual QString instructionAt(int line) const = 0;         // "" when the line has none
  virtual int lineOf(const QString& instruction) const = 0;  // or -1
  virtual std::string lineText(int line) const = 0;          // "" when there is none
  virtual std::pair<int, int> visibleLines() const = 0;      // first and last
  virtual float middleOf(int line) const = 0;  // in pixels of the view; outside of it when scrolled away
  virtual QRect placeOf(int line, int column) const = 0;  // of a cursor there, in the view
  virtual const QSet<QString>& marked() const = 0;
  virtual void mark(const QSet<QString>& instructions) = 0;
  virtual void reveal(int line) = 0;  // scrolls there when it is out of sight; the cursor stays
  // Marks a place from 1:1 on; 0: none.
  virtual void setProblem(int line, int column, const QString& reason) = 0;
};

}  // namespace shardscope
