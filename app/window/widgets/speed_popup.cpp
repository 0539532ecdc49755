// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/speed_popup.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPushButton>
#include <QVBoxLayout>
#include <cmath>

#include "app/window/document/language.h"
#include "app/window/widgets/chip_speeds.h"

namespace shardscope::inline window {

SpeedPopup::SpeedPopup(const QString& title, double speed, bool may_break, QWidget* parent)
    : QFrame(parent, Qt::Popup), slider_(new QSlider(Qt::Horizontal, this)), shown_(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setObjectName("speedPopup");
  setFrameShape(QFrame::StyledPanel);
  slider_->setRange(may_break ? 0 : 5, 100);
  slider_->setSingleStep(5);
  slider_->setPageStep(25);
  slider_->setValue(static_cast<int>(std::lround(speed * 100)));
  slider_->setMinimumWidth(fontMetrics().averageCharWidth() * 30);
  slider_->setAccessibleName(title + ", percent of the normal speed"_tr);
  auto* heading = new QLabel(title, this);
  heading->setProperty("role", "heading");
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(heading);
  auto* line = new QHBoxLayout;
  line->addWidget(slider_, 1);
  shown_->setMinimumWidth(fontMetrics().horizontalAdvance("100 %  (normal)"_tr));
  line->addWidget(shown_);
  layout->addLayout(line);
  auto* buttons = new QHBoxLayout;
  const auto button = [&](const QString& text, int percent) {
    auto* made = new QPushButton(text, this);
    made->setAccessibleName(title + ": " + text);
    connect(made, &QPushButton::clicked, this, [this, percent] { slider_->setValue(percent); });
    buttons->addWidget(made);
  };
  button("½×", 50);
  button("¼×", 25);
  if (may_break) button("broken"_tr, 0);
  button("normal"_tr, 100);
  layout->addLayout(buttons);
  const auto say = [this] {
    const int percent = slider_->value();
    shown_->setText(percent == 100 ? "100 %  (normal)"_tr
                    : percent == 0 ? QString("broken")
                                   : QString("%1 %  (%2)").arg(percent).arg(speed_text(percent / 100.0)));
  };
  connect(slider_, &QSlider::valueChanged, this, [this, say](int percent) {
    // In steps of 5 %, wherever the mouse lets go.
    const int even = std::max(static_cast<int>(std::lround(percent / 5.0)) * 5, slider_->minimum());
    if (even != percent) return slider_->setValue(even);
    say();
    Q_EMIT speedChanged(percent / 100.0);
  });
  say();
  slider_->setFocus();
}

void SpeedPopup::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Escape) {
    close();
    return;
  }
  QFrame::keyPressEvent(event);
}

}  // namespace shardscope::inline window
