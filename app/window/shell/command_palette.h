// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <functional>
#include <vector>

namespace shardscope {

// One thing to choose in a palette.
struct PaletteEntry {
  QString text;
  QString detail;  // a shortcut, a place
  std::function<void()> choose;
  QString id = {};     // where what was chosen last is kept; empty: it is not
  QString lower = {};  // what is searched: made once, when the palette opens
};

// A list that narrows while one types: words in any order; where nothing has them, what has their letters in
// that order, the closest together first. Used for commands (Ctrl+K) and for finding (/).
class CommandPalette : public QDialog {
  Q_OBJECT
 public:
  CommandPalette(const QString& prompt, std::vector<PaletteEntry> entries, QWidget* parent);
  QLineEdit* input() { return input_; }
  QListWidget* list() { return list_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void narrow();
  void choose();

  std::vector<PaletteEntry> entries_;
  QLineEdit* input_;
  QListWidget* list_;
};

}  // namespace shardscope
