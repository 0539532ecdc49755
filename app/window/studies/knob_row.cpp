// SPDX-License-Identifier: Apache-2.0
#include "app/window/studies/knob_row.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <cmath>
#include <fmt/format.h>

#include "app/window/document/language.h"
#include "app/window/studies/still_slider.h"
#include "app/window/widgets/form_parts.h"
#include "engine/base/text.h"

namespace shardscope::inline window {
namespace {

constexpr int kTenfold = 100;  // slider places from ×1 to ×10
// What nobody asks in FLOP/s, bytes/s or seconds.
constexpr double kLeastFactor = 0.01, kMostFactor = 1000;

}  // namespace

KnobRow::KnobRow(const QString& label, const QString& tip, QWidget* parent)
    : QWidget(parent), slider_(new StillSlider(Qt::Horizontal, this)), field_(new QLineEdit(this)) {
  auto* name = form_label(label, this);
  name->setMinimumWidth(fontMetrics().averageCharWidth() * 12);
  slider_->setRange(-kTenfold, kTenfold);
  slider_->setSingleStep(1);
  slider_->setMinimumWidth(fontMetrics().averageCharWidth() * 18);
  slider_->setPageStep(10);
  slider_->setFocusPolicy(Qt::StrongFocus);
  slider_->setAccessibleName(label);
  slider_->setToolTip(tip);
  field_->setAccessibleName(label + ", value"_tr);
  field_->setToolTip(tip);
  field_->setPlaceholderText("×1");
  field_->setFixedWidth(fontMetrics().averageCharWidth() * 10);
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(8);
  line->addWidget(name);
  line->addWidget(slider_, 1);
  line->addWidget(field_);
  connect(slider_, &QSlider::valueChanged, this, &KnobRow::slid);
  connect(field_, &QLineEdit::editingFinished, this, &KnobRow::typed);
}

QString KnobRow::text() const {
  const QString typed = field_->text().trimmed().replace(QChar(0x00d7), 'x');
  const auto plain = parse_double(typed.toStdString());
  return plain && *plain >= kLeastFactor && *plain <= kMostFactor ? 'x' + typed : typed;
}

void KnobRow::setText(const QString& text) {
  const QSignalBlocker quiet(slider_);
  QString shown = text;
  field_->setText(shown.replace('x', QChar(0x00d7)));
  const auto factor = text.startsWith('x') ? parse_double(text.mid(1).toStdString()) : std::nullopt;
  slider_->setValue(factor && *factor > 0 ? static_cast<int>(std::lround(kTenfold * std::log10(*factor)))
                                          : 0);
}

void KnobRow::slid(int place) {
  const double factor = std::pow(10.0, static_cast<double>(place) / kTenfold);
  field_->setText(place == 0 ? "" : QString::fromStdString(fmt::format("×{:.3g}", factor)));
  Q_EMIT changed();
}

void KnobRow::typed() {
  if (!field_->isModified()) return;
  field_->setModified(false);
  setText(text());
  Q_EMIT changed();
}

}  // namespace shardscope::inline window
