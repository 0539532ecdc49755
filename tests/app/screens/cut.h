// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/window/shell/main_window.h"

namespace shardscope {

// What is on screen and cannot be read or used as it stands, one line each: tabs that scroll or are cut
// short, buttons and boxes narrower than their words, sliders with no way to slide, fields that are cut, a tool
// bar that hides some of its buttons, module text in too narrow a view, runs without one whole row.
std::vector<std::string> cut_short(const MainWindow& window);

}  // namespace shardscope
