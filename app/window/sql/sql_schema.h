// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>
#include <QTreeWidget>
#include <memory>

#include "app/window/document/background.h"
#include "engine/trace/schema_words.h"

namespace shardscope::inline window {

// The tables of a workspace with their columns, types, units and meanings, read beside this thread.
class SqlSchema : public QTreeWidget {
  Q_OBJECT
 public:
  explicit SqlSchema(QWidget* parent = nullptr);
  void read(const std::shared_ptr<Workspace>& workspace);

 Q_SIGNALS:
  void chosen(const QString& name);
  void namesRead(const QStringList& words);  // tables, columns and keywords, for completion

 private:
  void show(const std::vector<TableWords>& tables);

  Background reading_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
