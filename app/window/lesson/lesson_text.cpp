// SPDX-License-Identifier: Apache-2.0
#include "app/window/lesson/lesson_text.h"

namespace shardscope::inline window {

QLabel* lesson_text(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setTextFormat(Qt::MarkdownText);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setProperty("role", "lesson");
  return label;
}

}  // namespace shardscope::inline window
