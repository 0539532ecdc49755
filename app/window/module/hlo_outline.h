// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>
#include <QTreeWidget>
#include <QWidget>

#include "app/window/module/hlo_alternative.h"

namespace shardscope {

// A module as a tree: computations, scopes, layers that are alike folded into one. A click goes to the text.
class HloOutline : public QWidget {
  Q_OBJECT
 public:
  explicit HloOutline(QWidget* parent = nullptr);
  void setReading(const HloReadingPtr& reading);  // null: none
  void show(const QString& instruction);          // where that one is; does not tell
  QTreeWidget* tree() { return tree_; }
  QLineEdit* filter() { return filter_; }

 Q_SIGNALS:
  void instructionChosen(const QString& instruction);

 private:
  QTreeWidgetItem* rowOf(int32_t node);
  void fill(QTreeWidgetItem* of);  // the rows below, the first time that they are to be seen
  void addRow(QTreeWidgetItem* below, int32_t node);
  void search(const QString& words);
  void tell(const QTreeWidgetItem* item);

  HloReadingPtr reading_;
  QLineEdit* filter_;
  QTreeWidget* tree_;
  bool filling_ = false;
};

}  // namespace shardscope
