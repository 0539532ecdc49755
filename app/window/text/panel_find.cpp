// SPDX-License-Identifier: Apache-2.0
#include "app/window/text/panel_find.h"

#include <QAbstractItemView>
#include <QPlainTextEdit>
#include <QTextBlock>
#include <QTreeView>

namespace shardscope::inline window {
namespace {

// The rows of a table or a tree in the order in which they stand, those of closed branches too.
QModelIndexList rows_of(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
  QModelIndexList out;
  for (int row = 0; row < model.rowCount(parent) && out.size() < static_cast<int>(kMostFound); ++row) {
    out << model.index(row, 0, parent);
    out << rows_of(model, out.back());
  }
  return out;
}

QString row_text(const QModelIndex& row) {
  QStringList cells;
  for (int c = 0; c < row.model()->columnCount(row.parent()); ++c)
    cells << row.siblingAtColumn(c).data().toString().simplified();
  return cells.join(' ');
}

IndexedTextPtr text_of(QWidget* view) {
  QString text;
  if (auto* edit = qobject_cast<QPlainTextEdit*>(view)) {
    text = edit->toPlainText();
  } else if (auto* table = qobject_cast<QAbstractItemView*>(view); table != nullptr && table->model()) {
    QStringList lines;
    for (const QModelIndex& row : rows_of(*table->model())) lines << row_text(row);
    text = lines.join('\n');
  }
  return std::make_shared<const IndexedText>(text.toStdString());
}

bool is_searched(QWidget* view) {
  return qobject_cast<QPlainTextEdit*>(view) != nullptr || qobject_cast<QAbstractItemView*>(view) != nullptr;
}

void go_in(QPlainTextEdit& edit, const TextPlace& place, int length) {
  QTextCursor at(edit.document()->findBlockByNumber(place.line));
  at.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, place.column);
  at.movePosition(QTextCursor::Right, QTextCursor::KeepAnchor, length);
  edit.setTextCursor(at);
  edit.centerCursor();
}

}  // namespace

PanelFind::PanelFind(QWidget* panel) : FindBar([this] { return text_of(searched_); }, panel), panel_(panel) {
  connect(this, &FindBar::shown, this, &PanelFind::go);
  connect(this, &FindBar::closed, this, [this] {
    if (searched_ != nullptr) searched_->setFocus();
  });
}

QWidget* PanelFind::wanted() const {
  for (QWidget* at = panel_->window()->focusWidget(); at != nullptr && at != panel_; at = at->parentWidget())
    if (is_searched(at) && panel_->isAncestorOf(at)) return at;
  if (searched_ != nullptr && searched_->isVisible()) return searched_;
  for (QWidget* each : panel_->findChildren<QWidget*>())
    if (is_searched(each) && each->isVisible()) return each;
  return nullptr;
}

void PanelFind::find() {
  searched_ = wanted();
  begin({});
}

void PanelFind::go(int line, int column, int length) {
  if (auto* edit = qobject_cast<QPlainTextEdit*>(searched_)) return go_in(*edit, {line, column}, length);
  auto* table = qobject_cast<QAbstractItemView*>(searched_);
  if (table == nullptr) return;
  const QModelIndexList rows = rows_of(*table->model());
  if (line >= rows.size()) return;
  table->setCurrentIndex(rows[line]);
  table->scrollTo(rows[line], QAbstractItemView::PositionAtCenter);
}

}  // namespace shardscope::inline window
