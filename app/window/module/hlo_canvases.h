// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "views/host/canvas_view.h"
#include "views/scene/module/layout_hlo.h"

namespace shardscope::inline window {

// The lines between two texts. A click on one tells its place.
class LineLinkCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit LineLinkCanvas(QWidget* parent = nullptr);
  void setLinks(std::vector<LineLink> links);
  const std::vector<LineLink>& links() const { return links_; }

 Q_SIGNALS:
  void linkClicked(int link);

 protected:
  Scene layout(const Canvas& canvas) const override { return layout_line_links(links_, canvas); }
  QStringList tooltip(const ItemId& item) const override;
  void itemClicked(const ItemId& item) override;

 private:
  std::vector<LineLink> links_;
};

// One array's tiles and their devices.
class TileCanvas : public CanvasView {
  Q_OBJECT
 public:
  explicit TileCanvas(QWidget* parent = nullptr);
  void setArray(std::optional<ShardedArray> array);
  const std::optional<ShardedArray>& array() const { return array_; }

 Q_SIGNALS:
  void editRequested();  // double click or F2

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemDoubleClicked(const ItemId& item) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  std::optional<ShardedArray> array_;
  Selection selection_;
};

}  // namespace shardscope::inline window
