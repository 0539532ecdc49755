// SPDX-License-Identifier: Apache-2.0
// A light on what changes: the rest of a picture is dimmed, whatever view it is of.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// Who takes part in the beats that a moment tells of, over which links, with which blocks.
struct Changes {
  std::set<int32_t> events, devices, instructions, beats;
  std::set<std::pair<int32_t, int32_t>> links;   // device, lane
  std::set<std::pair<int32_t, int64_t>> blocks;  // array, block; -1: all of its blocks

  bool has(const ItemId& item) const;
};
Changes changes_at(const ViewInput& input, const Selection& selection);  // empty: before the first beat

// Dims all but the items of `changes`, and nothing where the picture has none of them.
void add_spotlight(Scene& scene, const Changes& changes, const Theme& theme);

}  // namespace shardscope::inline views
