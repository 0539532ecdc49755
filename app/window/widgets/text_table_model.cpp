// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/text_table_model.h"

#include <QHeaderView>
#include <QTableView>
#include <utility>

#include "app/window/widgets/table_copy.h"

namespace shardscope::inline window {

void TextTableModel::set(TextTable table) {
  beginResetModel();
  table_ = std::move(table);
  endResetModel();
}

int TextTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int TextTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(table_.header.size());
}

QVariant TextTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<size_t>(index.column());
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
    return QString::fromStdString(table_.rows[static_cast<size_t>(index.row())][column]);
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(Qt::AlignVCenter |
                            (table_.right_aligned[column] ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

QVariant TextTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section >= columnCount()) return {};
  const auto column = static_cast<size_t>(section);
  if (role == Qt::DisplayRole) return QString::fromStdString(table_.header[column]);
  const bool told = role == Qt::ToolTipRole && column < table_.meanings.size();
  return told ? QVariant(QString::fromStdString(table_.meanings[column])) : QVariant();
}

QTableView* text_table_view(TextTableModel* model, const QString& name, QWidget* parent) {
  auto* view = new QTableView(parent);
  view->setModel(model);
  offer_copy(view);
  view->setAccessibleName(name);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setSelectionMode(QAbstractItemView::SingleSelection);
  view->setShowGrid(false);
  view->setAlternatingRowColors(true);
  view->setWordWrap(false);
  view->verticalHeader()->hide();
  view->horizontalHeader()->setHighlightSections(false);
  return view;
}

}  // namespace shardscope::inline window
