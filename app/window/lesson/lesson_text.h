// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <string>

namespace shardscope::inline window {

inline QString as_text(const std::string& from) {
  return QString::fromStdString(from);
}

// A label for a text of a lesson: CommonMark, wrapped, larger than a form's, to be selected with the mouse.
QLabel* lesson_text(QWidget* parent);

}  // namespace shardscope::inline window
