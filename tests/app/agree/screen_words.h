// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

class QWidget;

namespace shardscope::screen_agree_test {

// A text that stands on the screen, and where: the dock or bar and the widget in it.
struct ScreenText {
  std::string place, text;
};

// Every text of `window` that can be seen: labels, buttons, fields, cells of tables in sight, lines of texts
// in sight, and what canvases draw. Without HTML.
std::vector<ScreenText> screen_texts(const QWidget& window);

}  // namespace shardscope::screen_agree_test
