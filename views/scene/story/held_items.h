// SPDX-License-Identifier: Apache-2.0
// What a device holds, one name after the other.
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/pen.h"

namespace shardscope {

// A name in holdings_text: "a3", "y0.2" with "2 of 4".
struct HeldItem {
  std::string name;
  std::string terms;        // of it and of the names before it since the last end
  bool ends_group = false;  // what follows has other terms, or is of another array
};
std::vector<HeldItem> held_items(const std::vector<HeldNames>& held);

// Names in at most `lines` lines of `width`, as holdings_text has them: as many as there is room for, with
// their terms, and "+3" for the others; no lines when there is room for nothing.
std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<HeldItem>& items, float width,
                                        int lines, float size);

}  // namespace shardscope
