// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/study/atlas.h"
#include "views/scene/core/layouts.h"

namespace shardscope {

// What of an atlas is drawn: of whose ways what, for one sharding of the result or for the best of all.
struct AtlasView {
  enum class Of { time, bytes, memory } of = Of::time;
  enum class Who { best, xla, shardy } who = Who::best;
  std::optional<size_t> result{};
};

// A heat map of the left operand's shardings by the right one's: darker is less. A cell is an item whose
// index is lhs · splits + rhs. A ring stands where nothing moves, a letter where XLA's or Shardy's way is as
// good as the best one. `specs`: the shardings in words.
Scene layout_atlas(const Atlas& atlas, const std::vector<std::string>& specs, const AtlasView& view,
                   const Canvas& canvas);

// The triple that a cell stands for.
const AtlasTriple& shown_triple(const Atlas& atlas, const AtlasView& view, size_t lhs, size_t rhs);

}  // namespace shardscope
