// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QListWidget>
#include <QPushButton>
#include <QWidget>

namespace shardscope {

// The lessons that come with the program, to choose one of, or to begin one's own.
class LessonChooser : public QWidget {
  Q_OBJECT
 public:
  explicit LessonChooser(QWidget* parent = nullptr);
  QListWidget* list() { return list_; }
  QPushButton* newButton() { return new_; }

 Q_SIGNALS:
  void chosen(const QString& name);
  void newRequested();
  void fileRequested();

 private:
  QListWidget* list_;
  QPushButton *open_, *new_, *file_;
};

}  // namespace shardscope
