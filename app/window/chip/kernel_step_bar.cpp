// SPDX-License-Identifier: Apache-2.0
#include "app/window/chip/kernel_step_bar.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <algorithm>
#include <array>

#include "app/window/document/language.h"
#include "app/window/widgets/icons.h"

namespace shardscope {
namespace {

constexpr std::array kKernelSpeeds{0.25, 0.5, 1.0, 2.0, 4.0, 16.0};

}  // namespace

// Marks the steps where something was found.
class FindingSlider : public QSlider {
 public:
  FindingSlider(const KernelPlayer& player, QWidget* parent)
      : QSlider(Qt::Horizontal, parent), player_(player) {}
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
    for (const KernelFinding& finding : player_.findings()) {
      const auto step = static_cast<int>(std::min(finding.step + 1, player_.steps()));
      const int x =
          QStyle::sliderPositionFromValue(minimum(), maximum(), step, width() - handle) + handle / 2;
      painter.fillRect(x - mark / 2, 0, mark, height() / 3, QColor(color.r, color.g, color.b));
    }
  }

 private:
  const KernelPlayer& player_;
  Theme theme_ = light_theme();
};

KernelStepBar::KernelStepBar(KernelPlayer& player, QWidget* parent)
    : QWidget(parent),
      player_(player),
      first_(new QToolButton(this)),
      previous_(new QToolButton(this)),
      play_(new QToolButton(this)),
      next_(new QToolButton(this)),
      last_(new QToolButton(this)),
      slider_(new FindingSlider(player, this)),
      label_(new QLabel(this)),
      speed_(new QComboBox(this)),
      theme_(light_theme()) {
  slider_->setAccessibleName("Step of the schedule"_tr);
  slider_->setToolTip("The marks are findings: [ and ] go from one to the next"_tr);
  slider_->setMinimumWidth(80);
  slider_->setPageStep(10);
  for (const double speed : kKernelSpeeds) speed_->addItem(QString::number(speed) + "×", speed);
  speed_->setCurrentIndex(2);
  speed_->setToolTip("Speed of playing"_tr);
  speed_->setAccessibleName("Speed of the schedule"_tr);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 2, 8, 2);
  row->setSpacing(2);
  const auto button = [&](QToolButton* each, const QString& tip, auto act) {
    each->setToolTip(tip);
    each->setAccessibleName(tip);
    row->addWidget(each);
    connect(each, &QToolButton::clicked, this, act);
  };
  button(first_, "First step (Home)"_tr, [this] { player_.setStep(0); });
  button(previous_, "Step back (Left)"_tr, [this] { player_.stepBy(-1); });
  button(play_, "Play (Space)"_tr, [this] { player_.play(!player_.playing()); });
  button(next_, "Step on (Right)"_tr, [this] { player_.stepBy(1); });
  button(last_, "Last step (End)"_tr, [this] { player_.setStep(player_.steps()); });
  row->addWidget(slider_, 1);
  row->addWidget(label_);
  row->addWidget(speed_);
  connect(slider_, &QSlider::valueChanged, this, [this](int step) { player_.setStep(step); });
  connect(speed_, &QComboBox::activated, this,
          [this](int i) { player_.setSpeed(kKernelSpeeds[static_cast<size_t>(i)]); });
  connect(&player_, &KernelPlayer::changed, this, &KernelStepBar::readPlayer);
  connect(&player_, &KernelPlayer::playingChanged, this, [this] { setTheme(theme_); });
  readPlayer();
}

QSlider* KernelStepBar::slider() {
  return slider_;
}

void KernelStepBar::setTheme(const Theme& theme) {
  theme_ = theme;
  slider_->setTheme(theme);
  const QColor ink(theme.text.r, theme.text.g, theme.text.b);
  const int px = static_cast<int>(13 * theme.scale);
  const auto icon = [&](QToolButton* button, const char* name) {
    button->setIcon(make_icon(name, ink, px));
    button->setIconSize({px, px});
  };
  icon(first_, "first");
  icon(previous_, "previous");
  icon(play_, player_.playing() ? "pause" : "play");
  icon(next_, "next");
  icon(last_, "last");
}

void KernelStepBar::setBusy(bool busy) {
  busy_ = busy;
  readPlayer();
}

void KernelStepBar::readPlayer() {
  const QSignalBlocker quiet(slider_);
  const int steps = static_cast<int>(player_.steps());
  slider_->setRange(0, steps);
  slider_->update();  // its marks
  slider_->setValue(static_cast<int>(player_.step()));
  for (QWidget* each : std::initializer_list<QWidget*>{first_, previous_, play_, next_, last_, slider_})
    each->setEnabled(player_.canStep());
  const QString place = !player_.canStep()    ? "no steps"_tr
                        : player_.step() == 0 ? QString("start/%1").arg(steps)
                                              : "step %1/%2"_tr.arg(player_.step() - 1).arg(steps);
  label_->setText(busy_ ? "preparing …"_tr : place);
  label_->setMinimumWidth(fontMetrics().horizontalAdvance("step 9999/9999"_tr));
}

}  // namespace shardscope
