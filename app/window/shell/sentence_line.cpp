// SPDX-License-Identifier: Apache-2.0
#include "app/window/shell/sentence_line.h"

#include <QResizeEvent>
#include <QTextDocument>

namespace shardscope {

SentenceLine::SentenceLine(Clock& clock, const Preferences& preferences, QWidget* parent)
    : QLabel(parent), narrator_(clock, preferences) {
  setObjectName("sentence");
  setTextFormat(Qt::PlainText);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  connect(&narrator_, &Narrator::changed, this, &SentenceLine::fit);
  fit();
}

void SentenceLine::fit() {
  const QString& sentence = narrator_.sentence();
  setText(fontMetrics().elidedText(sentence, Qt::ElideRight, contentsRect().width()));
  setToolTip(sentence.isEmpty() ? QString() : Qt::convertFromPlainText(sentence));  // rich text wraps
  setAccessibleName(sentence);
}

void SentenceLine::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  fit();
}

}  // namespace shardscope
