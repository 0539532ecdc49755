// SPDX-License-Identifier: Apache-2.0
#include "app/window/widgets/fitted_paragraph.h"

#include <QEvent>
#include <QTextLayout>
#include <algorithm>

namespace shardscope::inline window {
namespace {

// Where each line begins.
std::vector<int> lines_of(const QString& text, const QFont& font, int width) {
  QTextLayout layout(text, font);
  std::vector<int> out;
  layout.beginLayout();
  for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
    line.setLineWidth(width);
    out.push_back(line.textStart());
  }
  layout.endLayout();
  return out;
}

}  // namespace

FittedParagraph::FittedParagraph(QWidget* parent) : FittedLabel(parent) {
  setWordWrap(true);
  setIndent(0);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void FittedParagraph::showLines(int most) {
  if (most_ == std::max(1, most)) return;
  most_ = std::max(1, most);
  fit();
}

int FittedParagraph::lineHeight() const {
  return fontMetrics().lineSpacing() + 1;  // as a document rounds it
}

int FittedParagraph::linesIn(int height) const {
  return std::max(1, (height - padding()) / lineHeight());
}

void FittedParagraph::fit() {
  const int width = std::max(1, contentsRect().width() - 2);  // rounded otherwise where it is drawn
  const std::vector<int> lines = lines_of(said(), font(), width);
  const int shown = std::clamp(static_cast<int>(lines.size()), 1, most_);
  QString text = said();
  if (std::ssize(lines) > shown) {
    const int last = lines[static_cast<size_t>(shown - 1)];
    text = said().left(last) + fontMetrics().elidedText(said().mid(last), Qt::ElideRight, width);
  }
  if (text != QLabel::text()) setText(text);
  setFixedHeight(padding() +
                 shown * lineHeight());  // heightForWidth() is of the text before until it is drawn
}

void FittedParagraph::changeEvent(QEvent* event) {
  FittedLabel::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) fit();
}

}  // namespace shardscope::inline window
