// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/table_copy.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QShortcut>
#include <QTableView>
#include <QTreeView>
#include <array>
#include <set>

#include "app/window/document/language.h"

namespace shardscope::inline window {
namespace {

constexpr int kMostRows = 200'000;

struct CopyForm {
  TableForm form;
  const char* title;
  const char* key;
};
constexpr std::array kForms{CopyForm{TableForm::csv, "Copy as &CSV", "Ctrl+C"},
                            CopyForm{TableForm::markdown, "Copy as &Markdown", "Ctrl+Alt+M"},
                            CopyForm{TableForm::latex, "Copy as &LaTeX", "Ctrl+Alt+L"}};

const QHeaderView* header_of(const QAbstractItemView& view) {
  if (const auto* table = qobject_cast<const QTableView*>(&view)) return table->horizontalHeader();
  if (const auto* tree = qobject_cast<const QTreeView*>(&view)) return tree->header();
  return nullptr;
}

// Model columns as they are seen, from left to right.
std::vector<int> columns_of(const QAbstractItemModel& model, const QHeaderView* header) {
  std::vector<int> out;
  for (int visual = 0; visual < model.columnCount(); ++visual) {
    const int column = header != nullptr ? header->logicalIndex(visual) : visual;
    if (header == nullptr || !header->isSectionHidden(column)) out.push_back(column);
  }
  return out;
}

bool right_aligned(const QModelIndex& cell) {
  return (cell.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
}

// Rows under `parent`, those of open nodes too.
struct Reader {
  const QAbstractItemModel& model;
  const QTreeView* tree;
  const std::vector<int>& columns;
  const std::set<QModelIndex>& only;  // first cells of the wanted rows; empty: all
  TextTable& table;

  void read(const QModelIndex& parent, int depth) {
    for (int row = 0; row < model.rowCount(parent) && std::ssize(table.rows) < kMostRows; ++row) {
      const QModelIndex first = model.index(row, 0, parent);
      if (only.empty() || only.count(first) > 0) add(first, depth);
      if (tree != nullptr && tree->isExpanded(first)) read(first, depth + 1);
    }
  }
  void add(const QModelIndex& first, int depth) {
    auto& cells = table.rows.emplace_back();
    for (const int column : columns) {
      const QModelIndex cell = first.siblingAtColumn(column);
      std::string text = cell.data().toString().toStdString();
      if (cells.empty()) text.insert(0, std::string(static_cast<size_t>(2 * depth), ' '));
      cells.push_back(std::move(text));
      if (table.rows.size() == 1) table.right_aligned[cells.size() - 1] = right_aligned(cell);
    }
  }
};

TextTable read_table(const QAbstractItemModel& model, const QHeaderView* header, const QTreeView* tree,
                     const std::set<QModelIndex>& only) {
  TextTable table;
  const std::vector<int> columns = columns_of(model, header);
  for (const int column : columns)
    table.header.push_back(model.headerData(column, Qt::Horizontal).toString().toStdString());
  table.right_aligned.assign(columns.size(), false);
  Reader{model, tree, columns, only, table}.read({}, 0);
  return table;
}

void copy(const QAbstractItemView& view, TableForm form) {
  QGuiApplication::clipboard()->setText(text(table_of(view), form));
}

}  // namespace

QString text(const TextTable& table, TableForm form) {
  switch (form) {
    case TableForm::csv:
      return QString::fromStdString(csv_table(table));
    case TableForm::markdown:
      return QString::fromStdString(markdown_table(table));
    case TableForm::latex:
      return QString::fromStdString(latex_table(table));
  }
  return {};
}

TextTable table_of(const QAbstractItemView& view) {
  std::set<QModelIndex> only;
  for (const QModelIndex& index : view.selectionModel()->selectedIndexes())
    only.insert(index.siblingAtColumn(0));
  if (only.size() < 2) only.clear();
  return read_table(*view.model(), header_of(view), qobject_cast<const QTreeView*>(&view), only);
}

TextTable all_of(const QAbstractItemModel& model) {
  return read_table(model, nullptr, nullptr, {});
}

void add_copy_menu(QMenu& menu, QAbstractItemView* view) {
  for (const CopyForm& form : kForms)
    QObject::connect(menu.addAction(spoken(form.title) + "\t" + form.key), &QAction::triggered, view,
                     [view, form = form.form] { copy(*view, form); });
}

void offer_copy(QAbstractItemView* view) {
  for (const CopyForm& form : kForms) {
    const auto copied = [view, form = form.form] { copy(*view, form); };
    auto* key = new QShortcut(QKeySequence(form.key), view);
    key->setContext(Qt::WidgetShortcut);
    QObject::connect(key, &QShortcut::activated, view, copied);
    auto* action = new QAction(spoken(form.title) + "\t" + form.key, view);
    QObject::connect(action, &QAction::triggered, view, copied);
    view->addAction(action);
  }
  if (view->contextMenuPolicy() == Qt::DefaultContextMenu) view->setContextMenuPolicy(Qt::ActionsContextMenu);
}

}  // namespace shardscope::inline window
