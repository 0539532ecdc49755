// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/size_slider.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>
#include <cmath>

#include "app/window/studies/still_slider.h"
#include "app/window/widgets/form_parts.h"

namespace shardscope::inline window {
namespace {

constexpr int kLeastPower = 4, kMostPower = 18;  // 16 to 262144

}  // namespace

SizeSlider::SizeSlider(const QString& name, const QString& tip, QWidget* parent)
    : QWidget(parent), slider_(new StillSlider(Qt::Horizontal, this)), number_(form_label("", this)) {
  slider_->setRange(kLeastPower, kMostPower);
  slider_->setPageStep(2);
  slider_->setFocusPolicy(Qt::StrongFocus);
  slider_->setAccessibleName(name);
  slider_->setToolTip(tip);
  fit();
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(6);
  line->addWidget(form_label(name, this));
  line->addWidget(slider_, 1);
  line->addWidget(number_);
  connect(slider_, &QSlider::valueChanged, this, [this](int power) {
    size_ = int64_t{1} << power;
    number_->setText(QString::number(size_));
    Q_EMIT moved();
  });
}

void SizeSlider::fit() {
  slider_->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
  number_->setMinimumWidth(fontMetrics().averageCharWidth() * 8);
}

void SizeSlider::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

void SizeSlider::setSize(int64_t size) {
  const QSignalBlocker quiet(slider_);
  size_ = size;
  const double power = std::log2(static_cast<double>(std::max<int64_t>(size, 1)));
  slider_->setValue(std::clamp(static_cast<int>(std::lround(power)), kLeastPower, kMostPower));
  number_->setText(QString::number(size));
}

}  // namespace shardscope::inline window
