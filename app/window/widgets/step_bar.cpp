// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/step_bar.h"

#include <QHBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "views/scene/story/now.h"

namespace shardscope {
namespace {

constexpr int kLeastSlider = 120;  // at 100 %: below that there is nothing to slide along

// As wide as it ever gets, so that nothing moves while it counts; where room is short it gives way first.
class MomentLabel : public FittedLabel {
 public:
  explicit MomentLabel(QWidget* parent) : FittedLabel(parent) {
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
  }
  QSize sizeHint() const override {
    return {fontMetrics().horizontalAdvance("steps 99–99 of 999, under way · 999.9 µs"_tr) + 4,
            FittedLabel::sizeHint().height()};
  }
};

QString nothing_said(Subject subject) {
  switch (subject) {
    case Subject::runs:
      return "nothing ran"_tr;
    case Subject::module:
      return "the module has not run"_tr;
    case Subject::neither:
      break;
  }
  return {};
}

}  // namespace

StepBar::StepBar(Clock& clock, QWidget* parent)
    : QWidget(parent),
      clock_(clock),
      who_(new FittedLabel(this)),
      label_(new MomentLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      speed_(new QComboBox(this)) {
  slider_->setAccessibleName("Step of the story"_tr);
  for (const double speed : RunPlayer::speeds()) speed_->addItem(QString::number(speed) + "×", speed);
  setScale(1);
  readSpeed();
  speed_->setToolTip("Speed of playing"_tr);
  speed_->setAccessibleName("Speed"_tr);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->addWidget(who_);
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

void StepBar::setScale(double scale) {
  slider_->setMinimumWidth(static_cast<int>(kLeastSlider * scale));
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
  who_->say(words_of(clock_.of(clock_.subject())));
  label_->say(clock_.shown() ? QString::fromStdString(clock_text(clock_.shown()->input(), clock_.selection()))
                             : nothing_said(clock_.subject()));
  fitWho();
}

// Where there is room beside a slider that can be used.
void StepBar::fitWho() {
  const QFontMetrics font = fontMetrics();
  const int wanted = std::min(font.horizontalAdvance(who_->said() + "  "), font.averageCharWidth() * 40);
  const int others = label_->sizeHint().width() + speed_->sizeHint().width() + 2 * slider_->minimumWidth();
  who_->setFixedWidth(wanted);
  who_->setVisible(!who_->said().isEmpty() && width() - others > wanted);
}

void StepBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fitWho();
}

}  // namespace shardscope
