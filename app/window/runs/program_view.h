// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "app/window/document/clock.h"

namespace shardscope::inline window {

// The run's HLO. The lines of the clock's step are tinted, the selected instruction's is marked; a click on a
// line selects its instruction.
class ProgramView : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit ProgramView(Clock& clock, QWidget* parent = nullptr);
  int32_t instructionAt(int line) const;  // global index, or -1
  int lineOf(int32_t instruction) const;  // or -1
  void setTheme(const Theme& theme);
  void showPlace(int line, int column, int length);  // selected, and in sight

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void readRun();
  void mark();
  int32_t stepNow() const;
  void selectLine();

  Clock& clock_;
  class HloColors* colors_;
  std::vector<int32_t> by_line_;  // global instruction index of each line, -1: none
  std::vector<int32_t> step_of_;  // by global index; found once, for programs of 20,000 instructions
  Theme theme_;
  ShownRunPtr read_;
};

}  // namespace shardscope::inline window
