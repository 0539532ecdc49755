// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/ring/ring_parts.h"
#include "views/scene/ring/ring_table.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

void draw_load_legend(Pen& pen, const LinkLoads& all, const Rect& area) {
  int64_t most = 0;
  for (const auto& [key, load] : all) most = std::max(most, load.bytes);
  if (most == 0) return;
  const std::string from = "link load 0";
  const std::string to = format_bytes(static_cast<double>(most));
  float x = area.x;
  const float y = area.y + area.h / 2;
  pen.text({x, y}, from, {pen.theme.muted_text, 0.85F, Align::left});
  x += pen.width(from, 0.85F) + pen.px(6);
  constexpr int kParts = 16;
  for (int i = 0; i < kParts; ++i) {
    const double part = static_cast<double>(i) / (kParts - 1);
    pen.rect({x, y - pen.px(5), pen.px(5) + 1, pen.px(10)},
             cividis(pen.theme.dark ? 0.45 + 0.55 * part : 0.75 * (1 - part)));
    x += pen.px(5);
  }
  pen.text({x + pen.px(7), y}, to, {pen.theme.muted_text, 0.85F, Align::left});
}

}  // namespace

Scene layout_ring(const ViewInput& input, const RingViewport& viewport, const Selection& selection,
                  const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Mesh& mesh = input.run.program.mesh;
  if (mesh.device_count() < 2) {
    pen.empty_state("The ring shows blocks travelling between devices",
                    "This mesh has one device: nothing travels.");
    return scene;
  }
  const std::optional<StepTransfers> step = step_transfers(input, step_at(input, selection.time));
  CarriedBlocks carried(input);
  const float margin = pen.px(12);
  const bool table =
      viewport.table && !canvas.theme.demo && step && !step->transfers.empty() && canvas.width >= pen.px(720);
  const float table_width =
      table ? std::min(canvas.width * 0.42F,
                       pen.px(70) + pen.px(56) * static_cast<float>(input.trace.devices()))
            : 0;
  const bool moving = step && !step->transfers.empty() && canvas.height >= pen.px(240);
  const Rect area{margin, margin + pen.px(34), canvas.width - 2 * margin - (table ? table_width + margin : 0),
                  canvas.height - 2 * margin - pen.px(34) - (moving ? pen.px(18) : 0)};
  const Rect drawn{area.x + viewport.pan.x, area.y + viewport.pan.y, area.w * std::max(0.1F, viewport.zoom),
                   area.h * std::max(0.1F, viewport.zoom)};
  const RingPlaces places(input.run, drawn, pen);
  const RingContext c{input, selection, places, step, carried};
  draw_ring_title(pen, c, {margin, pen.px(6), area.w, pen.px(40)});
  pen.scene.push_clip({0, area.y - pen.px(4), area.right() + margin, area.h + pen.px(8)});
  draw_ring_links(pen, c);
  const LinkLoads loads = link_loads(c);
  draw_ring_loads(pen, c, loads);
  draw_ring_devices(pen, c);
  draw_ring_chunks(pen, c);
  pen.scene.pop_clip();
  if (moving) draw_load_legend(pen, loads, {margin, canvas.height - pen.px(24), area.w, pen.px(20)});
  if (table)
    draw_permutation_table(
        pen, input, selection, *step, carried,
        {area.right() + 2 * margin, pen.px(6), table_width - margin, canvas.height - pen.px(16)});
  return scene;
}

}  // namespace shardscope
