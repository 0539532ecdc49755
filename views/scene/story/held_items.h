// SPDX-License-Identifier: Apache-2.0
// What a device holds, one name after the other.
#pragma once

#include <string>
#include <vector>

#include "engine/story/story.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

// A name in holdings_text: "a3", "y0.2" with "2 of 4".
struct HeldItem {
  std::string name;
  std::string terms;        // of it and of the names before it since the last end
  bool ends_group = false;  // what follows has other terms, or is of another array
};
std::vector<HeldItem> held_items(const std::vector<HeldNames>& held);

// In ever fewer letters, the longest first: "a0–a3, y0 (2 of 4)", "a0–3, y0 (2/4)", "4 a, 1 y (2/4)", "4a
// Σ1y": Σ of a sum that is not complete.
std::vector<std::vector<HeldItem>> shorter_items(const std::vector<HeldItem>& items);
// "3 a, 2 pieces" of "a0–a2 w1.1/2 w2.1/2".
std::string counted_names(const std::string& names);
// "a0–3" for "a0–a3".
std::string short_range(const std::string& name);

// Names in at most `lines` lines of `width`, as holdings_text has them: as many as there is room for, with
// their terms, and "+3" for the others; no lines when there is room for nothing. Before a class all of them,
// in as few letters as that takes, or "…".
std::vector<std::string> lines_of_items(const Pen& pen, const std::vector<HeldItem>& items, float width,
                                        int lines, float size);

}  // namespace shardscope::inline views
