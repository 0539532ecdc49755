// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/outline_tree.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/window/document/language.h"
#include "app/window/widgets/fit_columns.h"
#include "app/window/widgets/searched.h"
#include "app/window/widgets/table_columns.h"

namespace shardscope::inline window {
namespace {

constexpr int kNode = Qt::UserRole;
constexpr int kMostOutlineRows = 2000;  // below one row, and that a search lists

QString row_title(const OutlineNode& node) {
  const QString title = QString::fromStdString(node.title);
  return node.repeats > 1 ? QString("%1 ×%2").arg(title).arg(node.repeats) : title;
}

}  // namespace

OutlineTree::OutlineTree(QWidget* parent)
    : QWidget(parent), filter_(new QLineEdit(this)), tree_(new QTreeWidget(this)) {
  filter_->setPlaceholderText("search the outline"_tr);
  filter_->setAccessibleName("Search the outline"_tr);
  filter_->setClearButtonEnabled(true);
  set_columns(*tree_, {{"outline"_tr, "Computations, scopes and layers; ×: so many that are alike"_tr},
                       {"size"_tr, "Instructions in it"_tr}});
  tree_->setAccessibleName("Outline of the module"_tr);
  tree_->setToolTip(
      "Computations, scopes and layers with how many instructions they have; those that are alike stand in "
      "one row. A click goes there"_tr);
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(tree_->fontMetrics().averageCharWidth() * 3 /
                        2);  // scopes are deep, the column narrow
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setSectionResizeMode(1, QHeaderView::Fixed);
  tree_->headerItem()->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(filter_);
  layout->addWidget(tree_, 1);
  connect(filter_, &QLineEdit::textChanged, this, &OutlineTree::search);
  connect(tree_, &QTreeWidget::itemExpanded, this, &OutlineTree::fill);
  connect(tree_, &QTreeWidget::itemClicked, this, &OutlineTree::tell);
  // Getting the focus alone makes the first row current, and goes nowhere.
  connect(tree_, &QTreeWidget::currentItemChanged, this,
          [this](QTreeWidgetItem* item, const QTreeWidgetItem* before) {
            if (!filling_ && before != nullptr && tree_->hasFocus()) tell(item);
          });
}

void OutlineTree::tell(const QTreeWidgetItem* item) {
  if (item == nullptr || outline_ == nullptr) return;
  Q_EMIT chosen(outline_->nodes[static_cast<size_t>(item->data(0, kNode).toInt())].first);
}

void OutlineTree::setOutline(std::shared_ptr<const Outline> outline) {
  outline_ = std::move(outline);
  search(filter_->text());
  tree_->resizeColumnToContents(1);
  tree_->setColumnWidth(1, std::max(tree_->columnWidth(1), heading_width(*tree_, 1)));
}

void OutlineTree::addRow(QTreeWidgetItem* below, int32_t node) {
  const OutlineNode& n = outline_->nodes[static_cast<size_t>(node)];
  auto* row = new QTreeWidgetItem({row_title(n), QLocale::c().toString(n.count)});
  row->setData(0, kNode, node);
  row->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  row->setToolTip(0, QString::fromStdString(outline_path(*outline_, node)));
  if (n.end > node + 1) row->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
  below->addChild(row);
}

void OutlineTree::fill(QTreeWidgetItem* of) {
  if (outline_ == nullptr || of->childCount() > 0) return;
  const auto& nodes = outline_->nodes;
  const int32_t node = of->data(0, kNode).toInt();
  int rows = 0;
  for (int32_t k = node + 1; k < nodes[static_cast<size_t>(node)].end && rows < kMostOutlineRows;
       k = nodes[static_cast<size_t>(k)].end, ++rows)
    addRow(of, k);
}

// Without words the tree, with words the rows that have them, the nearest first.
void OutlineTree::search(const QString& words) {
  const QScopedValueRollback<bool> quiet(filling_, true);
  tree_->clear();
  if (outline_ == nullptr) return;
  const auto& nodes = outline_->nodes;
  const Search search = search_for(words);
  const auto read = [](const OutlineNode& n) { return searched({QString::fromStdString(n.title)}); };
  std::vector<size_t> rows = found_in(nodes, search, read);
  if (search.empty()) std::erase_if(rows, [&](size_t k) { return nodes[k].parent >= 0; });
  if (rows.size() > kMostOutlineRows) rows.resize(kMostOutlineRows);
  QTreeWidgetItem* root = tree_->invisibleRootItem();
  for (const size_t k : rows) addRow(root, static_cast<int32_t>(k));
  if (search.empty() && root->childCount() > 0) root->child(0)->setExpanded(true);
}

// With the rows above it opened; null: a search hides it.
QTreeWidgetItem* OutlineTree::rowOf(int32_t node) {
  const auto& nodes = outline_->nodes;
  std::vector<int32_t> way;
  for (int32_t k = node; k >= 0; k = nodes[static_cast<size_t>(k)].parent) way.push_back(k);
  QTreeWidgetItem* row = tree_->invisibleRootItem();
  for (auto step = way.rbegin(); step != way.rend() && row != nullptr; ++step) {
    QTreeWidgetItem* next = nullptr;
    for (int c = 0; c < row->childCount() && next == nullptr; ++c)
      if (row->child(c)->data(0, kNode).toInt() == *step) next = row->child(c);
    row = next;
    if (row != nullptr && step + 1 != way.rend()) row->setExpanded(true);
  }
  return row == tree_->invisibleRootItem() ? nullptr : row;
}

void OutlineTree::follow(int32_t instruction) {
  if (outline_ == nullptr || isHidden() || tree_->hasFocus()) return;
  if (instruction < 0 || static_cast<size_t>(instruction) >= outline_->places.size()) return;
  const int32_t node = outline_->places[static_cast<size_t>(instruction)].node;
  const QScopedValueRollback<bool> quiet(filling_, true);
  if (node >= 0) tree_->setCurrentItem(rowOf(node));
}

}  // namespace shardscope::inline window
