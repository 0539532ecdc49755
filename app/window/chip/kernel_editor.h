// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QListWidget>
#include <QTimer>
#include <QWidget>

#include "app/window/chip/kernel_player.h"
#include "app/window/chip/kernel_text_edit.h"
#include "app/window/document/background.h"
#include "engine/kernels/catalogue/check_text.h"

namespace shardscope::inline window {

// A kernel's text, to be changed. While it is typed it is read, built and run under many schedules beside the
// GUI thread; what is wrong stands in the margin and in a list below.
class KernelEditor : public QWidget {
  Q_OBJECT
 public:
  explicit KernelEditor(KernelPlayer& player, QWidget* parent = nullptr);
  void setTheme(const Theme& theme) { edit_->setTheme(theme); }
  KernelTextEdit* edit() { return edit_; }
  QListWidget* list() { return list_; }
  QString said() const { return said_->text(); }
  bool busy() const { return busy_; }
  void showText();  // the text in the picture, on the shown kernel's mesh and sizes
  Result<void> open(const QString& path);
  Result<void> save(const QString& path);

 Q_SIGNALS:
  void wanted(const KernelChoice& choice);  // this text in the picture
  void used(const QString& path);           // it was opened or saved

 private:
  void layOut();
  void takeShown();
  void check();
  void fill(const Result<kernels::CheckedText>& checked);
  void askOpen();
  void askSave();

  KernelPlayer& player_;
  KernelTextEdit* edit_;
  QListWidget* list_;
  QLabel* said_;
  QTimer pause_;  // until nobody types
  QString path_;
  bool busy_ = false;
  Background work_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
