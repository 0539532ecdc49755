// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace shardscope::inline window {

FlowLayout::FlowLayout(QWidget* parent, int spacing) : QLayout(parent) {
  setSpacing(spacing);
}

FlowLayout::~FlowLayout() {
  for (QLayoutItem* item : items_) delete item;
}

void FlowLayout::addItem(QLayoutItem* item) {
  items_.push_back(item);
}

QLayoutItem* FlowLayout::itemAt(int index) const {
  return index >= 0 && index < count() ? items_[static_cast<size_t>(index)] : nullptr;
}

QLayoutItem* FlowLayout::takeAt(int index) {
  QLayoutItem* item = itemAt(index);
  if (item != nullptr) items_.erase(items_.begin() + index);
  return item;
}

QSize FlowLayout::minimumSize() const {
  QSize size;
  for (const QLayoutItem* item : items_) {
    if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
  }
  const QMargins margins = contentsMargins();
  return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
  QLayout::setGeometry(rect);
  place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool move) const {
  const QMargins margins = contentsMargins();
  const int right = rect.x() + rect.width() - margins.right();
  const int left = rect.x() + margins.left();
  // Lines are as high as their highest widget, and the others stand in the middle.
  std::vector<QLayoutItem*> line;
  int x = left, y = rect.y() + margins.top(), height = 0;
  const auto end_line = [&] {
    int at = left;
    for (QLayoutItem* item : line) {
      const QSize size = item->sizeHint();
      const int width = std::min(size.width(), right - left);
      if (move) item->setGeometry({at, y + (height - size.height()) / 2, width, size.height()});
      at += width + spacing();
    }
    if (!line.empty()) y += height + spacing();
    line.clear();
    x = left;
    height = 0;
  };
  for (QLayoutItem* item : items_) {
    if (item->isEmpty()) continue;
    const QSize size = item->sizeHint();
    if (x + size.width() > right && !line.empty()) end_line();
    line.push_back(item);
    x += size.width() + spacing();
    height = std::max(height, size.height());
  }
  end_line();
  return std::max(0, y - spacing() - rect.y()) + margins.bottom();
}

}  // namespace shardscope::inline window
