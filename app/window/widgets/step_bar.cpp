// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/step_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <algorithm>

#include "app/window/document/language.h"
#include "app/window/document/player.h"

namespace shardscope::inline window {
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

class MarkedSlider : public QSlider {
 public:
  explicit MarkedSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {}
  void setMarks(std::vector<int> marks) {
    if (marks == marks_) return;
    marks_ = std::move(marks);
    setToolTip(marks_.empty() ? QString() : "The marks are findings: [ and ] go from one to the next"_tr);
    update();
  }
  void setTheme(const Theme& theme) {
    theme_ = theme;
    update();
  }

 protected:
  void paintEvent(QPaintEvent* event) override {
    QSlider::paintEvent(event);
    QPainter painter(this);
    const Color color = theme_.warning;
    const int handle = static_cast<int>(14 * theme_.scale), mark = static_cast<int>(3 * theme_.scale);
    for (const int step : marks_) {
      const int x =
          QStyle::sliderPositionFromValue(minimum(), maximum(), step, width() - handle) + handle / 2;
      painter.fillRect(x - mark / 2, 0, mark, height() / 3, QColor(color.r, color.g, color.b));
    }
  }

 private:
  std::vector<int> marks_;
  Theme theme_ = light_theme();
};

StepBar::StepBar(const Transport& transport, QWidget* parent)
    : QWidget(parent),
      transport_(transport),
      who_(new FittedLabel(this)),
      label_(new MomentLabel(this)),
      slider_(new MarkedSlider(this)),
      speed_(new QComboBox(this)) {
  who_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  slider_->setAccessibleName("Step of the story"_tr);
  for (const double speed : Player::speeds()) speed_->addItem(QString::number(speed) + "×", speed);
  setTheme(light_theme());
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

QSlider* StepBar::slider() {
  return slider_;
}

void StepBar::setTheme(const Theme& theme) {
  slider_->setTheme(theme);
  slider_->setMinimumWidth(static_cast<int>(kLeastSlider * theme.scale));
}

void StepBar::read() {
  const Moments& of = transport_.front();
  const QSignalBlocker quiet(slider_);
  slider_->setEnabled(of.last() > 0);
  slider_->setRange(0, of.last());
  slider_->setValue(of.at());
  slider_->setMarks(of.marks());
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

}  // namespace shardscope::inline window
