// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/study/atlas.h"
#include "views/scene/core/layouts.h"

namespace shardscope::inline views {

// What of an atlas is drawn: of whose ways what, with shardings that are pinned; of one that is not, the
// places that differ in it stand for the best of them. The first two arrays of X, W, Y that are not pinned
// are the rows and the columns.
struct AtlasView {
  enum class Of { time, bytes, memory } of = Of::time;
  enum class Who { best, xla, shardy } who = Who::best;
  std::optional<size_t> result{}, lhs{}, rhs{};  // pinned: of Atlas::splits
};

// How many rows and columns the map has: shardings of an array, or 1.
struct AtlasGrid {
  size_t rows = 1, columns = 1;
  bool operator==(const AtlasGrid&) const = default;
};
AtlasGrid atlas_grid(const Atlas& atlas, const AtlasView& view);

// A heat map: darker is less. A cell is an item whose index is row · columns + column. It says its case of a
// sharded product, whether it takes no communication, and where XLA's or Shardy's way is as good as the best
// one. `specs`: the shardings in words. `before`: of the same mesh at other sizes; where the fastest way was
// another there, the cell has a ring. None: no rings.
Scene layout_atlas(const Atlas& atlas, const std::vector<std::string>& specs, const AtlasView& view,
                   const Canvas& canvas, const Atlas* before = nullptr);

// The triple that a cell stands for.
const AtlasTriple& shown_triple(const Atlas& atlas, const AtlasView& view, size_t row, size_t column);
// Cells whose fastest way is another than in `before`.
size_t crossed_cells(const Atlas& atlas, const Atlas& before, const AtlasView& view);
// "case 3: k is split in both alike".
std::string case_words(ProductCase which);

}  // namespace shardscope::inline views
