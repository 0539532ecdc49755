// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/step_bar.h"

#include <QHBoxLayout>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/document/player.h"

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

}  // namespace

StepBar::StepBar(const Transport& transport, QWidget* parent)
    : QWidget(parent),
      transport_(transport),
      who_(new FittedLabel(this)),
      label_(new MomentLabel(this)),
      slider_(new QSlider(Qt::Horizontal, this)),
      speed_(new QComboBox(this)) {
  slider_->setAccessibleName("Step of the story"_tr);
  for (const double speed : Player::speeds()) speed_->addItem(QString::number(speed) + "×", speed);
  setScale(1);
  speed_->setToolTip("Speed of playing"_tr);
  speed_->setAccessibleName("Speed"_tr);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 0, 4, 0);
  layout->addWidget(who_);
  layout->addWidget(label_);
  layout->addWidget(slider_, 1);
  layout->addWidget(speed_);
  connect(slider_, &QSlider::valueChanged, this, [this](int step) {
    if (step != transport_.front().at()) transport_.front().goTo(step);
  });
  connect(speed_, &QComboBox::activated, this,
          [this](int i) { transport_.front().setSpeed(Player::speeds()[static_cast<size_t>(i)]); });
  connect(&transport_, &Transport::changed, this, &StepBar::read);
  read();
}

void StepBar::setScale(double scale) {
  slider_->setMinimumWidth(static_cast<int>(kLeastSlider * scale));
}

void StepBar::read() {
  const Moments& of = transport_.front();
  const QSignalBlocker quiet(slider_);
  slider_->setEnabled(of.last() > 0);
  slider_->setRange(0, of.last());
  slider_->setValue(of.at());
  speed_->setCurrentIndex(speed_->findData(of.speed()));
  who_->say(of.who());
  label_->say(of.words());
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
