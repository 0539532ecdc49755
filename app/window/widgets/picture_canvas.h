// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <functional>

#include "views/host/canvas_view.h"
#include "views/scene/core/selection.h"

namespace shardscope::inline window {

// A canvas over a value of its own dock, not over the clock's run: a chart. Without one it says in the middle
// what it will show, or why there is nothing.
class PictureCanvas : public CanvasView {
  Q_OBJECT
 public:
  using Layout = std::function<Scene(const Selection& selection, const Canvas& canvas)>;

  explicit PictureCanvas(const QString& what, QWidget* parent = nullptr);
  void setPicture(Layout layout);                     // empty: the message
  void setMessage(const QString& text, bool broken);  // `broken`: why it could not be made
  void select(const ItemId& item);
  const ItemId& selected() const { return selection_.selected; }
  const Selection& selection() const { return selection_; }
  void setTooltip(std::function<QStringList(const ItemId&)> words) { words_ = std::move(words); }

 Q_SIGNALS:
  void chosen(const shardscope::ItemId& item);     // clicked; Kind::none: the background
  void activated(const shardscope::ItemId& item);  // double-clicked

 protected:
  Scene layout(const Canvas& canvas) const override;
  QStringList tooltip(const ItemId& item) const override;
  void itemHovered(const ItemId& item) override;
  void itemClicked(const ItemId& item) override;
  void itemDoubleClicked(const ItemId& item) override;

 private:
  Layout picture_;
  QString message_;
  bool broken_ = false;
  Selection selection_;
  std::function<QStringList(const ItemId&)> words_;
};

// What a canvas says in its middle when it has nothing to draw.
Scene message_scene(const QString& text, bool broken, float raise, const Canvas& canvas);

}  // namespace shardscope::inline window
