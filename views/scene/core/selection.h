// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "engine/run/trace_source.h"
#include "views/scene/core/scene.h"

namespace shardscope::inline views {

// What all views show together: one moment, what is pointed at and what was clicked. Block items name the
// array in ItemId::lane and the block in ItemId::index.
struct Selection {
  Picoseconds time = 0;  // now; at 0 nothing has happened yet
  ItemId hovered;
  ItemId selected;
  std::optional<TimeRange> range;  // marked on the ruler
  bool operator==(const Selection&) const = default;
};

}  // namespace shardscope::inline views
