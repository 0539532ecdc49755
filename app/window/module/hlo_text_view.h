// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <QSet>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/window/module/hlo_sharding_field.h"
#include "app/window/text/instruction_lines.h"
#include "views/scene/core/theme.h"

namespace shardscope::inline window {

// A module as text to type in, instruction by instruction: the one under the cursor is told, others are
// marked. It opens a field over a sharding on a double click or F2.
class HloTextView : public QPlainTextEdit, public InstructionLines {
  Q_OBJECT
 public:
  explicit HloTextView(const QString& name, QWidget* parent = nullptr);
  void setTheme(const Theme& theme);

  QString instructionAt(int line) const override;
  int lineOf(const QString& instruction) const override;
  std::string lineText(int line) const override;
  std::pair<int, int> visibleLines() const override;
  float middleOf(int line) const override;
  QRect placeOf(int line, int column) const override;
  const QSet<QString>& marked() const override { return marked_; }
  void mark(const QSet<QString>& instructions) override;
  void reveal(int line) override;
  // What a tooltip says of an instruction; nothing: none.
  void setWords(std::function<QStringList(const QString& instruction)> words) { words_ = std::move(words); }
  void setProblem(int line, int column, const QString& reason) override;
  HloShardingField* shardingField() { return field_; }

 Q_SIGNALS:
  void instructionChosen(const QString& instruction);  // clicked, or reached by keys
  void viewChanged();                                  // scrolled, or other lines
  void fileDropped(const QString& path);

 protected:
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void insertFromMimeData(const QMimeData* source) override;

 private:
  void readLines();
  void drawMarks();

  class HloColors* colors_;
  Theme theme_;
  std::vector<std::string> names_;  // by line
  std::unordered_map<std::string, int> lines_;
  QSet<QString> marked_;
  int problem_line_ = 0, problem_column_ = 0;
  QString problem_;
  std::function<QStringList(const QString&)> words_;
  HloShardingField* field_;
};

}  // namespace shardscope::inline window
