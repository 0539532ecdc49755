// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/grid/grid_parts.h"

namespace shardscope::inline views {
namespace {

constexpr int64_t kMostTicks = 64;  // places of a slider that can be pointed at apart

// A handle of a dimension: clicking it shows block `to`.
int32_t handle(Pen& pen, size_t dim, int64_t to) {
  ItemId item;
  item.kind = ItemId::Kind::handle;
  item.lane = static_cast<int32_t>(dim);
  item.index = static_cast<int32_t>(to);
  return pen.id(item);
}

}  // namespace

float draw_grid_sliders(Pen& pen, const std::vector<int64_t>& counts, const std::vector<int64_t>& at,
                        const Rect& area) {
  float y = area.y;
  for (size_t d = 0; d < at.size(); ++d) {
    if (counts[d] < 2) continue;
    const float line = pen.px(20);
    const std::string word = pen.fitting(
        {say("dim {}: block {} of {}", d, at[d] + 1, counts[d]), fmt::format("{}/{}", at[d] + 1, counts[d])},
        area.w * 0.6F, 0.85F);
    pen.text({area.x, y + line / 2}, word, {pen.theme.text, 0.85F, Align::left});
    const float left = area.x + pen.width(word, 0.85F) + pen.px(8);
    const float width = std::min(area.right() - left, pen.px(14) * static_cast<float>(counts[d]));
    const int64_t ticks =
        std::min({counts[d], kMostTicks, std::max<int64_t>(1, static_cast<int64_t>(width / 4))});
    for (int64_t i = 0; i < ticks && width > 0; ++i) {
      const int64_t to = ticks > 1 ? i * (counts[d] - 1) / (ticks - 1) : 0;
      const bool here = to <= at[d] && (i + 1 == ticks || at[d] < (i + 1) * (counts[d] - 1) / (ticks - 1));
      const float step = width / static_cast<float>(ticks);
      const Rect tick{left + step * static_cast<float>(i), y + pen.px(4), step - 1, line - pen.px(8)};
      const int32_t id = handle(pen, d, to);
      pen.rect(tick, here ? pen.theme.selection : pen.theme.rule, id);
      pen.accessible(tick, id,
                     say("show block {} of dimension {}{}", to + 1, d, here ? said(", shown") : ""));
    }
    y += line;
  }
  return y;
}

}  // namespace shardscope::inline views
