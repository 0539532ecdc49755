// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/demo_mode.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/runs/make_run_canvas.h"

namespace shardscope {
namespace {

constexpr float kLabelScale = 1.7F;  // readable from the last row

}  // namespace

DemoMode::DemoMode(Clock& clock, Preferences& preferences, const QString& view)
    : clock_(clock),
      preferences_(preferences),
      narrator_(clock, preferences),
      sentence_(new QLabel(this)),
      counter_(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle("Shardscope: demo"_tr);
  Theme large = preferences.theme();
  large.scale = std::min(3.0F, large.scale * kLabelScale);
  large.demo = true;
  for (const RunView& each : run_views()) {
    // What stands still has nothing to play.
    if (each.moves != RunView::Moves::nothing) canvases_.push_back(make_run_canvas(each, clock, this));
  }
  const int px = static_cast<int>(large.base_px * large.scale * 1.15F);
  sentence_->setStyleSheet(QString("font-size: %1px; padding: %2px;").arg(px).arg(px / 2));
  sentence_->setWordWrap(true);
  counter_->setStyleSheet(QString("font-size: %1px; padding: %2px;").arg(px).arg(px / 2));
  counter_->setProperty("role", "muted");
  auto* below = new QHBoxLayout;
  below->addWidget(sentence_, 1);
  below->addWidget(counter_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  for (size_t i = 0; i < canvases_.size(); ++i) {
    canvases_[i]->setTheme(large);
    canvases_[i]->setFocusPolicy(Qt::NoFocus);
    layout->addWidget(canvases_[i], 1);
  }
  const auto find = [&](const QString& id) {
    return std::find_if(canvases_.begin(), canvases_.end(),
                        [&](const RunCanvas* canvas) { return canvas->view().id == id; });
  };
  const auto wanted = find(view) != canvases_.end() ? find(view) : find("ring");
  place_ = static_cast<size_t>(wanted - canvases_.begin());
  layout->addLayout(below);
  showCanvas(place_);
  connect(&clock_, &Clock::changed, this, &DemoMode::readClock);
  connect(&narrator_, &Narrator::changed, this, &DemoMode::say);
  readClock();
  say();
}

void DemoMode::showCanvas(size_t place) {
  place_ = place;
  for (size_t i = 0; i < canvases_.size(); ++i) canvases_[i]->setVisible(i == place);
}

void DemoMode::say() {
  sentence_->setText(clock_.shown() ? narrator_.sentence()
                                    : "Run something first: leave the demo mode, then run all."_tr);
}

void DemoMode::readClock() {
  counter_->setText(clock_.shown() ? QString("%1 / %2").arg(clock_.beat()).arg(clock_.beatCount())
                                   : QString());
}

void DemoMode::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down:
    case Qt::Key_PageDown:
    case Qt::Key_Return:
      clock_.player().stepBy(1);
      break;
    case Qt::Key_Left:
    case Qt::Key_Up:
    case Qt::Key_PageUp:
      clock_.player().stepBy(-1);
      break;
    case Qt::Key_Home:
      clock_.setBeat(0);
      break;
    case Qt::Key_End:
      clock_.setBeat(clock_.beatCount());
      break;
    case Qt::Key_Space:
      clock_.player().play(!clock_.player().playing());
      break;
    case Qt::Key_1:
    case Qt::Key_2:
    case Qt::Key_3:
      preferences_.setSentences(sentence_levels()[static_cast<size_t>(event->key() - Qt::Key_1)]);
      break;
    case Qt::Key_Tab:
      showCanvas((place_ + 1) % canvases_.size());
      break;
    case Qt::Key_Escape:
    case Qt::Key_F11:
    case Qt::Key_F5:
      close();
      break;
    default:
      QWidget::keyPressEvent(event);
  }
}

}  // namespace shardscope
