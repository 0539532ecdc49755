// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDialog>
#include <QListWidget>
#include <QStackedWidget>

#include "app/window/dialogs/keys_page.h"
#include "app/window/document/preferences.h"

namespace shardscope::inline window {

// Every setting in one place, section by section. Changes count at once; each section can be reset.
class PreferencesDialog : public QDialog {
  Q_OBJECT
 public:
  explicit PreferencesDialog(Preferences& preferences, QWidget* parent = nullptr);
  void showSection(const QString& id);
  KeysPage* keysPage() { return keys_page_; }
  QPushButton* resetButton() { return reset_; }

 private:
  QWidget* makePage(const QString& section);

  Preferences& preferences_;
  QListWidget* sections_;
  QStackedWidget* pages_;
  KeysPage* keys_page_;
  QPushButton* reset_;
};

// The one dialog of a window, made when it is first asked for, in front.
PreferencesDialog* show_preferences(Preferences& preferences, QWidget* window, const QString& section = "");

}  // namespace shardscope::inline window
