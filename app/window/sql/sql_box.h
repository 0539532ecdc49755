// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <memory>

#include "app/window/document/background.h"
#include "app/window/sql/sql_chart.h"
#include "app/window/sql/sql_editor.h"
#include "app/window/sql/sql_schema.h"

namespace shardscope::inline window {

// The answer to a query.
class QueryModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set(QueryResult result);
  const QueryResult& result() const { return result_; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QueryResult result_;
};

// Read-only SQL over the workspace: what there is to ask for, the question, and the answer as a table and as
// a chart. Asking never holds up the window, and can be cancelled.
class SqlBox : public QWidget {
  Q_OBJECT
 public:
  explicit SqlBox(QWidget* parent = nullptr);
  void setWorkspace(std::shared_ptr<Workspace> workspace);
  void run(const QString& sql);
  void cancel();
  bool asking() const { return asking_; }
  QueryModel* model() { return model_; }
  SqlEditor* editor() { return sql_; }
  SqlChart* chart() { return chart_; }
  QTreeWidget* schema() { return schema_; }
  QComboBox* queries() { return queries_; }
  QSpinBox* budget() { return budget_; }
  QString message() const { return message_->text(); }
  QString csv() const;
  void setTheme(const Theme& theme) { chart_->setTheme(theme); }
  // History and own queries, kept in the settings.
  QJsonObject kept() const;
  void setKept(const QJsonObject& kept);
  void saveQuery(const QString& name);  // the text as it is, instead of one of that name
  void removeQuery(const QString& name);

 Q_SIGNALS:
  void answered();
  void keptChanged();

 private:
  QWidget* makeQuestion();
  void listQueries();
  void choose(int place);
  void askForName();
  void take(Result<QueryResult> answer);

  std::shared_ptr<Workspace> workspace_;
  SqlEditor* sql_;
  SqlSchema* schema_;
  QComboBox* queries_;
  QPushButton *run_, *save_, *remove_;
  QSpinBox* budget_;
  QLabel* message_;
  QTableView* view_;
  QueryModel* model_;
  SqlChart* chart_;
  QTabWidget* answer_;
  QJsonObject saved_;  // own queries by name
  QString x_, y_;      // of the shipped query that was chosen
  bool asking_ = false;
  Background query_;  // last: its thread ends first
};

}  // namespace shardscope::inline window
