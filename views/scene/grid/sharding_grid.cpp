// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "views/scene/grid/grid_parts.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

int32_t pointed_device(const Selection& s) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::device) return item->device;
  }
  return -1;
}

}  // namespace

Scene layout_sharding_grid(const ViewInput& input, const GridViewport& viewport, const Selection& selection,
                           const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  GridContext c{
      input, viewport, selection, blocked_arrays(input.run.program), {}, 1, pointed_device(selection)};
  if (c.arrays.empty()) {
    pen.empty_state("The sharding grid shows who holds which block",
                    "This program does not say how its arrays are sharded.");
    return scene;
  }
  c.now = holdings_now(input, selection.time);
  c.parts = contraction_parts(c.arrays);
  const float margin = pen.px(16);
  const MeshPlaces places = mesh_places(input.run.program.mesh);
  const float foot = std::clamp(pen.px(28) + places.rows * pen.px(30), pen.px(100),
                                std::max(pen.px(100), canvas.height * 0.3F));
  const bool with_foot = canvas.height > foot + pen.px(140);
  const Rect panels{margin, pen.px(8), canvas.width - 2 * margin,
                    canvas.height - (with_foot ? foot : 0) - pen.px(16)};
  pen.scene.push_clip({0, 0, canvas.width, panels.bottom() + pen.px(4)});
  const auto count = static_cast<float>(c.arrays.size());
  const float zoom = std::max(0.1F, viewport.zoom);
  const float slot = (panels.w * zoom - (count - 1) * margin * 1.5F) / count;
  for (size_t i = 0; i < c.arrays.size(); ++i) {
    const Rect r{panels.x + viewport.pan.x + static_cast<float>(i) * (slot + margin * 1.5F),
                 panels.y + viewport.pan.y, slot, panels.h * zoom};
    draw_grid_panel(pen, c, static_cast<int>(i), r);
  }
  pen.scene.pop_clip();
  if (with_foot) {
    const float top = canvas.height - foot;
    pen.line({margin, top - pen.px(4)}, {canvas.width - margin, top - pen.px(4)}, pen.theme.rule);
    const float left = std::min(canvas.width * 0.45F, std::max(pen.px(150), places.columns * pen.px(64)));
    draw_grid_inset(pen, c, {margin, top, left, foot - pen.px(8)});
    draw_grid_legend(
        pen, c,
        {margin + left + pen.px(32), top, canvas.width - left - 2 * margin - pen.px(32), foot - pen.px(4)});
  }
  return scene;
}

}  // namespace shardscope
