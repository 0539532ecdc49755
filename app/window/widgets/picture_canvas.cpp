// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/picture_canvas.h"

#include <algorithm>

#include "views/scene/core/pen.h"

namespace shardscope::inline window {

Scene message_scene(const QString& text, bool broken, float raise, const Canvas& canvas) {
  Scene scene;
  scene.width = canvas.width;
  scene.height = canvas.height;
  scene.background = canvas.theme.background;
  const float px = canvas.theme.base_px * canvas.theme.scale;
  const auto lines =
      wrapped_lines(text.toStdString(), px, std::max(80.0F, canvas.width - 4 * px), canvas.measure);
  const float line_height = px * 1.5F;
  float y = canvas.height / 2 - static_cast<float>(lines.size()) * line_height / 2 - raise;
  const auto say = [&](const std::string& words, float at, Color color, Face face) {
    scene.add(TextItem{{canvas.width / 2, at}, words, color, px, Align::center, face});
  };
  if (broken) say("Could not run", y - line_height, canvas.theme.warning, Face::bold);
  for (const std::string& line : lines) {
    say(line, y, broken ? canvas.theme.text : canvas.theme.muted_text, Face::sans);
    y += line_height;
  }
  scene.add_accessible({{0, 0, canvas.width, canvas.height}, -1, text.toStdString()});
  return scene;
}

PictureCanvas::PictureCanvas(const QString& what, QWidget* parent) : CanvasView(parent), message_(what) {}

void PictureCanvas::setPicture(Layout layout) {
  picture_ = std::move(layout);
  selection_ = {};
  invalidate();
}

void PictureCanvas::setMessage(const QString& text, bool broken) {
  message_ = text;
  broken_ = broken;
  invalidate();
}

void PictureCanvas::select(const ItemId& item) {
  if (selection_.selected == item) return;
  selection_.selected = item;
  invalidate();
}

Scene PictureCanvas::layout(const Canvas& canvas) const {
  if (picture_) return picture_(selection_, canvas);
  return message_scene(message_, broken_, 0, canvas);
}

QStringList PictureCanvas::tooltip(const ItemId& item) const {
  return words_ && picture_ ? words_(item) : QStringList();
}

void PictureCanvas::itemHovered(const ItemId& item) {
  if (selection_.hovered == item) return;
  selection_.hovered = item;
  invalidate();
}

void PictureCanvas::itemClicked(const ItemId& item) {
  select(item);
  Q_EMIT chosen(item);
}

void PictureCanvas::itemDoubleClicked(const ItemId& item) {
  if (item.kind != ItemId::Kind::none) Q_EMIT activated(item);
}

}  // namespace shardscope::inline window
