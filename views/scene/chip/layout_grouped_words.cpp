// SPDX-License-Identifier: Apache-2.0
// What the picture of a grouped matmul says in words, and how it is edited.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/chip/layout_grouped.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {

float GroupedAxis::x_of(int64_t row) const {
  return left + width * static_cast<float>(static_cast<double>(row) / static_cast<double>(m));
}

int64_t GroupedAxis::row_at(float x) const {
  const double part = std::clamp((static_cast<double>(x) - left) / width, 0.0, 1.0);
  return std::llround(part * static_cast<double>(m));
}

GroupedAxis grouped_axis(const GroupMetadata& metadata, const Canvas& canvas) {
  Scene scene;
  const Pen pen(scene, canvas);
  const float left = std::min(pen.px(130), canvas.width * 0.3F);
  return {left, std::max(1.0F, canvas.width - left - pen.px(24)), std::max<int64_t>(1, metadata.m)};
}

std::vector<int64_t> with_boundary(std::vector<int64_t> sizes, int64_t boundary, int64_t row) {
  if (boundary < 1 || boundary >= static_cast<int64_t>(sizes.size())) return sizes;
  const size_t right = static_cast<size_t>(boundary);
  int64_t first = 0;
  for (size_t g = 0; g + 1 < right; ++g) first += sizes[g];
  const int64_t both = sizes[right - 1] + sizes[right];
  sizes[right - 1] = std::clamp(row - first, int64_t{0}, both);
  sizes[right] = both - sizes[right - 1];
  return sizes;
}

std::vector<std::string> describe(const GroupMetadata& meta, const ItemId& item) {
  if (item.kind == ItemId::Kind::handle) {
    const int64_t row = meta.group_offsets[static_cast<size_t>(item.index)];
    return {say("boundary of groups {} and {} at row {}", item.index - 1, item.index, group_digits(row)),
            said("drag it, or move it with the arrow keys")};
  }
  if (item.kind == ItemId::Kind::chunk) {
    const size_t g = static_cast<size_t>(item.index);
    const int64_t first = meta.group_offsets[g], last = meta.group_offsets[g + 1];
    return {say("group {}, {}", item.index, grouped_count(last - first, "row")),
            say("offsets {} to {}, {}", group_digits(first), group_digits(last),
                grouped_count(meta.group_tiles[g], "visit"))};
  }
  if (item.kind != ItemId::Kind::block || item.index < 0 || item.index >= meta.num_tiles) return {};
  const TileVisit v = meta.visit(item.index);
  const std::string rows =
      v.rows() == 0 ? said("no row: writes zeros")
                    : say("rows {} to {}", group_digits(v.row_start), group_digits(v.row_stop - 1));
  return {say("step {}: tile {} for group {}, {}", v.step, v.m_tile, v.group, rows),
          v.rows() == 0 && meta.wasted_rows(v) == 0
              ? said("skipped: nothing is multiplied")
              : say("{} of {} multiplied for nothing", group_digits(meta.wasted_rows(v)),
                    grouped_count(meta.tm, "row"))};
}

}  // namespace shardscope::inline views
