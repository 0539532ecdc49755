// SPDX-License-Identifier: Apache-2.0
#include "app/window/runs/run_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>

#include "app/window/document/language.h"
#include "app/window/widgets/picture_canvas.h"
#include "views/scene/story/spotlight.h"

namespace shardscope::inline window {

RunCanvas::RunCanvas(const RunView& view, Clock& clock, QWidget* parent)
    : CanvasView(parent),
      view_(view),
      clock_(clock),
      showing_(clock.shown() ? clock.shown()->showing : nullptr),
      followed_(clock.selection()),
      run_button_(new QPushButton("Run all"_tr, this)) {
  setObjectName(view.title);
  run_button_->setFocusPolicy(Qt::TabFocus);
  connect(run_button_, &QPushButton::clicked, this, &RunCanvas::runRequested);
  connect(&clock_, &Clock::changed, this, &RunCanvas::follow);
  connect(&clock_, &Clock::runChanged, this, &RunCanvas::takeRun);
  placeButton();
}

void RunCanvas::takeRun() {
  const auto before = std::exchange(showing_, shown() != nullptr ? shown()->showing : nullptr);
  placeButton();
  if (showing_ == before) return runChanged(false);
  const auto of = [](const auto& showing) {
    return [showing](const auto& left) { return left.first.lock() == showing; };
  };
  std::erase_if(left_, of(std::shared_ptr<const Showing>()));
  if (before) left_.emplace_back(before, state());
  runChanged(true);
  const auto known = std::ranges::find_if(left_, of(showing_));
  if (showing_ && known != left_.end()) {
    const QJsonObject as_it_was = known->second;
    left_.erase(known);
    restore(as_it_was);
  }
}

// Lays out anew only where the picture is another: most of what is pointed at is to be seen in one view, and
// much of what is shown is of no moment.
void RunCanvas::follow(WhatChanged what) {
  const Selection before = std::exchange(followed_, clock_.selection());
  if (what.testFlag(Changed::run)) return invalidate();
  if (shown() == nullptr) return;
  const auto seen = [&](const Selection& of) { return view_.seen(shown()->input(), plane_, of, canvas()); };
  // One that is not in sight is laid out when it is.
  if (spotlight_ || !isVisible() || seen(before) != seen(followed_)) invalidate();
}

void RunCanvas::setBusy(bool busy) {
  busy_ = busy;
  if (busy) failure_.clear();
  placeButton();
  invalidate();
}

void RunCanvas::setSpotlight(bool on) {
  spotlight_ = on;
  invalidate();
}

void RunCanvas::setAhead(bool ahead) {
  plane_.ahead = ahead;
  invalidate();
}

void RunCanvas::setFailure(QString reason) {
  failure_ = std::move(reason);
  placeButton();
  invalidate();
}

void RunCanvas::point(std::vector<StoryThing> things) {
  if (things == pointed_) return;
  pointed_ = std::move(things);
  invalidate();
}

void RunCanvas::placeButton() {
  const bool of_runs = clock_.subject() == Subject::runs;
  run_button_->setVisible(of_runs && shown() == nullptr && !busy_ && failure_.isEmpty());
  run_button_->adjustSize();
  const int y = height() / 2 + static_cast<int>(theme().base_px * theme().scale * 2.2F);
  run_button_->move((width() - run_button_->width()) / 2, std::min(y, height() - run_button_->height() - 4));
}

void RunCanvas::resizeEvent(QResizeEvent* event) {
  CanvasView::resizeEvent(event);
  placeButton();
}

Scene RunCanvas::layout(const Canvas& canvas) const {
  if (shown() == nullptr) {
    const bool of_runs = clock_.subject() == Subject::runs, busy = of_runs && busy_;
    const bool broken = of_runs && !failure_.isEmpty() && !busy_;
    const QString shows = spoken(view_.shows);
    const QString text = busy ? "Running. %1"_tr.arg(shows) : broken ? failure_ : shows;
    return message_scene(text, broken, busy || !of_runs ? 0 : canvas.theme.base_px * canvas.theme.scale,
                         canvas);
  }
  Scene scene = layoutRun(shown()->input(), clock_.selection(), canvas);
  if (spotlight_) add_spotlight(scene, changes_at(shown()->input(), clock_.selection()), canvas.theme);
  if (pointed_.empty() || shown()->story == nullptr) return scene;
  return outlined(std::move(scene), *shown()->story, pointed_, canvas);
}

QStringList RunCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (shown() == nullptr) return lines;
  for (const std::string& line : describe(shown()->input(), item, clock_.selection().time))
    lines << QString::fromStdString(line);
  return lines;
}

void RunCanvas::itemHovered(const ItemId& item) {
  clock_.hover(item);
}

void RunCanvas::itemClicked(const ItemId& item) {
  if (item.kind == ItemId::Kind::none) {
    clock_.clear();
  } else {
    clock_.select(item);
  }
}

void RunCanvas::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_PageUp:
      clock_.player().stepBy(-1);
      break;
    case Qt::Key_Right:
    case Qt::Key_PageDown:
      clock_.player().stepBy(1);
      break;
    case Qt::Key_Space:
      clock_.player().play(!clock_.player().playing());
      break;
    case Qt::Key_Escape:
      clock_.clear();
      break;
    default:
      CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope::inline window
