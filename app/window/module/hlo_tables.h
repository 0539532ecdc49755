// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QTreeWidget>
#include <QWidget>

#include "app/window/module/hlo_alternative.h"
#include "engine/session/hlo_explain.h"

namespace shardscope::inline window {

// What the partitioner made of a module, as tables: collectives with a sentence why the selected one is
// there, warnings by kind, the largest arrays.
class HloTables : public QWidget {
  Q_OBJECT
 public:
  explicit HloTables(QWidget* parent = nullptr);
  void setModule(const ExplainedModule* explained);  // null: none; not kept
  QTreeWidget* collectives() { return collectives_; }
  QTreeWidget* warnings() { return warnings_; }
  QTreeWidget* memory() { return memory_; }
  QTabWidget* tabs() { return tabs_; }
  HloAlternative* alternative() { return alternative_; }
  QString whyText() const { return why_->text(); }
  void fitColumns();
  void setWhy(const QString& sentence);
  int currentCollective() const;          // or -1
  void selectCollective(int collective);  // -1: none; does not tell

 Q_SIGNALS:
  void collectiveChosen(int collective);
  void instructionChosen(const QString& source);  // of a warning

 private:
  void fillCollectives(const ExplainedModule& explained);
  void fillWarnings(const ExplainedModule& explained);
  void fillMemory(const ExplainedModule& explained);

  QTabWidget* tabs_;
  QTreeWidget *collectives_, *warnings_, *memory_;
  QLabel* why_;
  HloAlternative* alternative_;
  bool filling_ = false;
};

// The table of collectives, one line each.
QString collectives_csv(const ExplainedModule& explained);

}  // namespace shardscope::inline window
