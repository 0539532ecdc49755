// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <memory>

#include "app/window/document/background.h"
#include "engine/trace/workspace.h"

namespace shardscope {

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

// Read-only SQL over the workspace; the result as a table and as CSV.
class SqlBox : public QWidget {
  Q_OBJECT
 public:
  explicit SqlBox(QWidget* parent = nullptr);
  void setWorkspace(std::shared_ptr<Workspace> workspace);
  void run(const QString& sql);
  QueryModel* model() { return model_; }
  QString message() const { return message_->text(); }
  QString csv() const;

 Q_SIGNALS:
  void answered();

 private:
  void copyCsv();

  std::shared_ptr<Workspace> workspace_;
  QPlainTextEdit* sql_;
  QComboBox* examples_;
  QPushButton *run_, *copy_;
  QLabel* message_;
  QTableView* view_;
  QueryModel* model_;
  Background query_;
};

}  // namespace shardscope
