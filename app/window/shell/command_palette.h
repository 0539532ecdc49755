// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QLineEdit>
#include <QListWidget>
#include <functional>
#include <vector>

#include "engine/base/search.h"

namespace shardscope::inline window {

// One thing to choose in a palette.
struct PaletteEntry {
  QString text;
  QString detail;  // a shortcut, a place
  std::function<void()> choose;
  QString id = {};          // where what was chosen last is kept; empty: it is not
  QStringList called = {};  // its names besides the text
};

// A list that narrows while one types, the nearest first; where nothing is found, what has the letters in
// that order, the closest together first. Used for commands (Ctrl+K) and for an instruction or a device.
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
  std::vector<Searched> searched_;  // of each entry, made once
  QLineEdit* input_;
  QListWidget* list_;
};

}  // namespace shardscope::inline window
