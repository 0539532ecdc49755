// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_canvas.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>

namespace shardscope {
namespace {

// `text` in lines of at most `width` pixels.
std::vector<std::string> wrapped(const QString& text, float px, float width, const MeasureText& measure) {
  std::vector<std::string> lines;
  QString line;
  for (const QString& word : text.split(' ', Qt::SkipEmptyParts)) {
    const QString longer = line.isEmpty() ? word : line + ' ' + word;
    if (!line.isEmpty() && measure(longer.toStdString(), px, false, false) > width) {
      lines.push_back(line.toStdString());
      line = word;
    } else {
      line = longer;
    }
  }
  if (!line.isEmpty()) lines.push_back(line.toStdString());
  return lines;
}

}  // namespace

RunCanvas::RunCanvas(Clock& clock, QString what, QWidget* parent)
    : CanvasView(parent),
      clock_(clock),
      what_(std::move(what)),
      run_button_(new QPushButton("Run all", this)) {
  run_button_->setFocusPolicy(Qt::TabFocus);
  connect(run_button_, &QPushButton::clicked, this, &RunCanvas::runRequested);
  connect(&clock_, &Clock::changed, this, [this] { invalidate(); });
  connect(&clock_, &Clock::runChanged, this, [this] {
    runReplaced();
    placeButton();
  });
  placeButton();
}

void RunCanvas::setBusy(bool busy) {
  busy_ = busy;
  placeButton();
  invalidate();
}

void RunCanvas::setFailure(QString reason) {
  failure_ = std::move(reason);
  placeButton();
  invalidate();
}

void RunCanvas::placeButton() {
  run_button_->setVisible(shown() == nullptr && !busy_ && failure_.isEmpty());
  run_button_->adjustSize();
  const int y = height() / 2 + static_cast<int>(theme().base_px * theme().scale * 2.2F);
  run_button_->move((width() - run_button_->width()) / 2, std::min(y, height() - run_button_->height() - 4));
}

void RunCanvas::resizeEvent(QResizeEvent* event) {
  CanvasView::resizeEvent(event);
  placeButton();
}

Scene RunCanvas::layout(const Canvas& canvas) const {
  if (shown() == nullptr) return emptyScene(canvas);
  return layoutRun(shown()->input(), clock_.selection(), canvas);
}

Scene RunCanvas::emptyScene(const Canvas& canvas) const {
  Scene scene;
  scene.width = canvas.width;
  scene.height = canvas.height;
  scene.background = canvas.theme.background;
  const float px = canvas.theme.base_px * canvas.theme.scale;
  const bool broken = !failure_.isEmpty() && !busy_;
  const QString text = busy_ ? QString("Running. %1").arg(what_) : broken ? failure_ : what_;
  const auto lines = wrapped(text, px, std::max(80.0F, canvas.width - 4 * px), canvas.measure);
  const float line_height = px * 1.5F;
  float y = canvas.height / 2 - static_cast<float>(lines.size()) * line_height / 2;
  if (!busy_) y -= px;
  if (broken) {
    scene.add(TextItem{{canvas.width / 2, y - line_height},
                       "Could not run",
                       canvas.theme.warning,
                       px,
                       Align::center,
                       true,
                       false});
  }
  for (const std::string& line : lines) {
    scene.add(TextItem{{canvas.width / 2, y},
                       line,
                       broken ? canvas.theme.text : canvas.theme.muted_text,
                       px,
                       Align::center,
                       false,
                       false});
    y += line_height;
  }
  scene.add_accessible({{0, 0, canvas.width, canvas.height}, -1, text.toStdString()});
  return scene;
}

QStringList RunCanvas::tooltip(const ItemId& item) const {
  QStringList lines;
  if (shown() == nullptr) return lines;
  for (const std::string& line : describe(shown()->input(), item)) lines << QString::fromStdString(line);
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
      clock_.stepBy(-1);
      break;
    case Qt::Key_Right:
    case Qt::Key_PageDown:
      clock_.stepBy(1);
      break;
    case Qt::Key_Space:
      clock_.play(!clock_.playing());
      break;
    case Qt::Key_Escape:
      clock_.clear();
      break;
    default:
      CanvasView::keyPressEvent(event);
  }
}

}  // namespace shardscope
