// SPDX-License-Identifier: Apache-2.0
#include "app/window/module/hlo_canvases.h"

#include <QKeyEvent>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"

namespace shardscope::inline window {

LineLinkCanvas::LineLinkCanvas(QWidget* parent) : CanvasView(parent) {
  setObjectName("HLO links");
  setAccessibleName("Lines from the module to the partitioned program"_tr);
  setFocusPolicy(Qt::NoFocus);
}

void LineLinkCanvas::setLinks(std::vector<LineLink> links) {
  if (links == links_) return;
  links_ = std::move(links);
  invalidate();
}

QStringList LineLinkCanvas::tooltip(const ItemId& item) const {
  if (item.kind != ItemId::Kind::link || static_cast<size_t>(item.index) >= links_.size()) return {};
  return {QString::fromStdString(links_[static_cast<size_t>(item.index)].words)};
}

void LineLinkCanvas::itemClicked(const ItemId& item) {
  if (item.kind == ItemId::Kind::link) Q_EMIT linkClicked(item.index);
}

TileCanvas::TileCanvas(QWidget* parent) : CanvasView(parent) {
  setObjectName("HLO tiles");
  setAccessibleName("Tiles of the selected instruction"_tr);
}

void TileCanvas::setArray(std::optional<ShardedArray> array) {
  if (array == array_) return;
  array_ = std::move(array);
  selection_ = {};
  invalidate();
}

Scene TileCanvas::layout(const Canvas& canvas) const {
  if (array_) return layout_tiles(*array_, selection_, canvas);
  return message_scene("Select an instruction to see which device has which tile of it."_tr, false, 0,
                       canvas);
}

QStringList TileCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (!array_ || item.kind != ItemId::Kind::block) return lines;
  for (const std::string& line : describe_tile(*array_, item.index)) lines << QString::fromStdString(line);
  return lines;
}

void TileCanvas::itemHovered(const ItemId& item) {
  if (selection_.hovered == item) return;
  selection_.hovered = item;
  invalidate();
}

void TileCanvas::itemDoubleClicked(const ItemId& /*item*/) {
  Q_EMIT editRequested();
}

void TileCanvas::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_F2) return Q_EMIT editRequested();
  CanvasView::keyPressEvent(event);
}

}  // namespace shardscope::inline window
