// SPDX-License-Identifier: Apache-2.0
// What a device holds, one name after the other.
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/pen.h"

namespace shardscope {

// "a3", "w5", "y0.2 (2 of 4)": the names in holdings_text.
std::vector<std::string> held_items(const Story& story, int32_t device, Picoseconds time);

// Names in at most `lines` lines of `width`, as many as there is room for and "+3" for the others; no lines
// when there is room for nothing.
std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<std::string>& items, float width,
                                        int lines, float size);

}  // namespace shardscope
