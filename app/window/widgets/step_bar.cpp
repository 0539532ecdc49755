// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/step_bar.h"

#include <QHBoxLayout>

#include "app/window/document/language.h"
#include "views/scene/story/now.h"

namespace shardscope {

StepBar::StepBar(Clock& clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      label_(new QLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      speed_(new QComboBox(this)) {
  slider_->setAccessibleName("Step of the story"_tr);
  slider_->setMinimumWidth(100);
  for (const double speed : RunPlayer::speeds()) speed_->addItem(QString::number(speed) + "×", speed);
  readSpeed();
  speed_->setToolTip("Speed of playing"_tr);
  speed_->setAccessibleName("Speed"_tr);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->addWidget(label_);
  layout->addWidget(slider_, 1);
  layout->addWidget(speed_);
  connect(slider_, &QSlider::valueChanged, this, [this](int step) {
    if (step != clock_.beat()) clock_.setBeat(step);
  });
  connect(speed_, &QComboBox::activated, this,
          [this](int i) { clock_.player().setSpeed(RunPlayer::speeds()[static_cast<size_t>(i)]); });
  connect(&clock_.player(), &RunPlayer::speedChanged, this, &StepBar::readSpeed);
  clock_.tellOf(Changed::run | Changed::time, this, &StepBar::readClock);
  readClock();
}

void StepBar::readSpeed() {
  speed_->setCurrentIndex(speed_->findData(clock_.player().speed()));
}

void StepBar::readClock() {
  const int beats = clock_.beatCount();
  const QSignalBlocker quiet(slider_);
  slider_->setEnabled(beats > 0);
  slider_->setRange(0, beats);
  slider_->setValue(clock_.beat());
  label_->setText(clock_.shown()
                      ? QString::fromStdString(clock_text(clock_.shown()->input(), clock_.selection().time))
                      : "nothing ran"_tr);
  label_->setMinimumWidth(fontMetrics().horizontalAdvance("after step 999 of 999 · 999.9 µs"_tr));
}

}  // namespace shardscope
