// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>
#include <QTreeWidget>
#include <QWidget>
#include <memory>

#include "engine/program/analysis/outline.h"

namespace shardscope::inline window {

// A program as a tree: computations, scopes, layers that are alike folded into one, with a search.
class OutlineTree : public QWidget {
  Q_OBJECT
 public:
  explicit OutlineTree(QWidget* parent = nullptr);
  void setOutline(std::shared_ptr<const Outline> outline);  // null: none
  void follow(int32_t instruction);                         // where that one is; does not tell
  const std::shared_ptr<const Outline>& outline() const { return outline_; }
  QTreeWidget* tree() { return tree_; }
  QLineEdit* filter() { return filter_; }

 Q_SIGNALS:
  void chosen(int instruction);  // Program::global_index of the first in the row

 private:
  QTreeWidgetItem* rowOf(int32_t node);
  void fill(QTreeWidgetItem* of);  // the rows below, the first time that they are to be seen
  void addRow(QTreeWidgetItem* below, int32_t node);
  void search(const QString& words);
  void tell(const QTreeWidgetItem* item);

  std::shared_ptr<const Outline> outline_;
  QLineEdit* filter_;
  QTreeWidget* tree_;
  bool filling_ = false;
};

}  // namespace shardscope::inline window
