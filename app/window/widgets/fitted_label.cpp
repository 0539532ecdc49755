// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/fitted_label.h"

#include <QResizeEvent>
#include <QTextDocument>

namespace shardscope::inline window {

FittedLabel::FittedLabel(QWidget* parent) : QLabel(parent) {
  setTextFormat(Qt::PlainText);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void FittedLabel::say(const QString& text) {
  said_ = text;
  setToolTip(text.isEmpty() ? QString() : Qt::convertFromPlainText(text));  // rich text wraps
  setAccessibleName(text);
  fit();
}

void FittedLabel::fit() {
  setText(fontMetrics().elidedText(said_, Qt::ElideRight, contentsRect().width()));
}

void FittedLabel::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

}  // namespace shardscope::inline window
