// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>

#include "engine/report/table.h"

class QTableView;

namespace shardscope::inline window {

// A table of the reports in a view of Qt; a column's meaning is its header's tip.
class TextTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  void set(TextTable table);
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  TextTable table_;
};

// A view of such a table, a row at a time, that can be copied.
QTableView* text_table_view(TextTableModel* model, const QString& name, QWidget* parent);

}  // namespace shardscope::inline window
