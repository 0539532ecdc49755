// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "app/window/chip/kernel_colors.h"

class QCompleter;

namespace shardscope::inline window {

// What stands in the margin of a line and under its letters.
struct KernelMark {
  int line = 1, column = 1, length = 1;  // length 0: the whole line
  bool error = false;                    // it cannot be built; else a finding
  QString text;
  bool operator==(const KernelMark&) const = default;
};

// An editor of a kernel's text with line numbers, marks, colours and completion (Ctrl+Space).
class KernelTextEdit : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit KernelTextEdit(QWidget* parent = nullptr);
  void setTheme(const Theme& theme);
  void setMarks(std::vector<KernelMark> marks);
  const std::vector<KernelMark>& marks() const { return marks_; }
  void goTo(int line, int column);
  QCompleter* completer() { return completer_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  static bool asksForWords(const QKeyEvent& event);  // Ctrl+Space
  int marginWidth() const;
  void layOutMargin();
  void paintMargin();
  QStringList offeredWords() const;
  void offerCompletion(bool asked);
  void complete(const QString& word);
  QString textAt(int line) const;  // of the marks on a line

  QWidget* margin_;
  KernelColors* colors_;
  QCompleter* completer_;
  std::vector<KernelMark> marks_;
};

}  // namespace shardscope::inline window
