// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/legend.h"
#include "views/scene/ring/ring_in_sight.h"
#include "views/scene/ring/ring_parts.h"
#include "views/scene/ring/ring_table.h"

namespace shardscope::inline views {
namespace {

// Below the picture: how loads are coloured, and what of it is out of sight or too small for words.
void draw_foot(Pen& pen, const RingContext& c, const LinkLoads& loads, const Rect& area) {
  int64_t most = 0;
  for (const auto& [key, load] : loads) most = std::max(most, load.bytes);
  most = load_scale(c.input, most);
  draw_load_legend(pen, most, area);
  LegendEntry sums{Mark::partial, 0, {said("partial sums"), said("sums")}};
  sums.sample.fill = mixed(identity_color(pen.theme, 0, 8), pen.theme.background, 0.55);
  sums.sample.pattern = Pattern::stripes;
  sums.sample.pattern_color = with_alpha(pen.theme.text, 0.5);
  const float loads_end = area.x + (most > 0 ? load_legend_width(pen, most) + pen.px(14) : 0);
  const float sums_room = pen.theme.presented() ? area.right() - loads_end : pen.px(110);
  const float legend =
      draw_legend_line(pen, marked(pen, {sums}), {loads_end, area.y, sums_room, area.h}) - area.x;
  const auto devices = static_cast<int32_t>(c.input.run.program.mesh.device_count());
  const auto [seen, links] = c.places.in_sight();
  std::vector<std::string> more;
  if (c.places.overview())
    more = {say("{} devices: zoom in for names", devices), said("zoom in for names")};
  else if (seen < devices)
    more = {say("{} of {} devices in sight: drag to move", seen, devices),
            say("+{}: drag", counted(devices - seen, "device"))};
  else if (!links)
    more = {said("links go on: drag to move"), said("links go on")};
  const std::string text = pen.fitting(more, area.w - legend, 0.85F);
  pen.text({area.right(), area.y + area.h / 2}, text, {pen.theme.warning, 0.85F, Align::right});
  if (!more.empty()) pen.accessible(area, -1, more.front());
}

float table_width(const Pen& pen, const ViewInput& input) {
  return std::min(pen.canvas.width * 0.42F,
                  pen.px(70) + pen.px(60) * static_cast<float>(input.trace.devices()));
}

void draw_matrix(Pen& pen, const ViewInput& input, const Selection& selection) {
  const float margin = pen.px(12);
  const float head = pen.px(50);
  const RingPlaces none(input.run, {{0, 0, 1, 1}, 0.1F, {}, {1, 1}, 1, {pen.px(60), pen.px(36)}}, pen);
  const std::vector<Travel> travels;
  draw_ring_title(pen, {input, selection, none, travels},
                  {margin, pen.px(6), pen.canvas.width - 2 * margin, pen.px(40)});
  draw_ring_matrix(pen, input, selection,
                   {margin, head, pen.canvas.width - 2 * margin, pen.canvas.height - head - margin});
}

// Where the mesh stands, and how wide the table beside it is (0: there is none).
struct RingArea {
  Rect mesh;
  float table = 0;
  bool foot = false;
};

float margin_of(const Pen& pen) {
  return pen.px(pen.theme.presented() ? 5 : 12);
}

// Two lines, or before a class one where it is wide.
float title_height(const Pen& pen) {
  return pen.px(pen.theme.presented() && pen.canvas.width >= pen.px(kWideTitle) ? 18 : 34);
}

Point least_box(const Pen& pen, const ViewInput& input) {
  if (!pen.theme.presented()) return {pen.px(60), pen.px(36)};
  float name = 0;
  for (int32_t d = 0; d < input.run.program.mesh.device_count(); ++d)
    name = std::max(name, pen.width(device_name(input.run.program.mesh, d), 1, Face::bold));
  return {name + pen.px(5), pen.px(34)};
}

RingFrame frame_of(const Pen& pen, const ViewInput& input, const RingViewport& viewport, const Rect& mesh) {
  const Point chips = chip_widths(pen, input);
  return {mesh, viewport.zoom, viewport.pan, {chips.x, pen.px(16)}, chips.y, least_box(pen, input)};
}

RingArea area_of(const Pen& pen, const ViewInput& input, const RingViewport& viewport) {
  const Canvas& canvas = pen.canvas;
  const float margin = margin_of(pen), title = title_height(pen);
  const bool table = viewport.table && !canvas.theme.presented() && input.story != nullptr &&
                     input.story->beats().size() > 1 && canvas.width >= pen.px(720);
  RingArea out;
  out.table = table ? table_width(pen, input) : 0;
  out.foot = canvas.height >= pen.px(160);
  out.mesh = {margin, margin + title, canvas.width - 2 * margin - (table ? out.table + margin : 0),
              canvas.height - 2 * margin - title - (out.foot ? pen.px(18) : 0)};
  return out;
}

}  // namespace

bool ring_in_sight(const ViewInput& input, const RingViewport& viewport, const Canvas& canvas) {
  const auto devices = static_cast<int32_t>(input.run.program.mesh.device_count());
  if (devices < 2 || devices > kMostDrawnApart) return true;
  Scene unused;
  const Pen pen(unused, canvas);
  const RingPlaces places(input.run, frame_of(pen, input, viewport, area_of(pen, input, viewport).mesh), pen);
  const auto [seen, links] = places.in_sight();
  return seen >= devices && links;
}

bool ring_follows_device(const ViewInput& input, const RingViewport& viewport, const Canvas& canvas) {
  const int64_t devices = input.run.program.mesh.device_count();
  if (devices < 2 || devices > kMostDrawnApart) return false;
  Scene unused;
  const Pen pen(unused, canvas);
  const float table = area_of(pen, input, viewport).table;
  return table > 0 && table_columns(pen, input, table - pen.px(12)) < input.trace.devices();
}

Scene layout_ring(const ViewInput& input, const RingViewport& viewport, const Selection& selection,
                  const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Mesh& mesh = input.run.program.mesh;
  if (mesh.device_count() < 2) {
    pen.empty_state(said("The ring shows blocks travelling between devices"),
                    said("This mesh has one device: nothing travels."));
    return scene;
  }
  if (mesh.device_count() > kMostDrawnApart) {
    draw_matrix(pen, input, selection);
    return scene;
  }
  const float margin = margin_of(pen);
  const auto [area, beside, foot] = area_of(pen, input, viewport);
  const bool table = beside > 0;
  const RingPlaces places(input.run, frame_of(pen, input, viewport, area), pen);
  const std::vector<Travel> travels = travels_at(input, selection.time);
  const RingContext c{input, selection, places, travels};
  draw_ring_title(pen, c, {margin, pen.px(6), area.w, pen.px(40)});
  pen.scene.push_clip({0, area.y - pen.px(4), area.right() + margin, area.h + pen.px(8)});
  draw_ring_links(pen, c);
  const LinkLoads loads = link_loads(c);
  draw_ring_loads(pen, c, loads);
  draw_ring_devices(pen, c);
  draw_ring_chips(pen, c);
  pen.scene.pop_clip();
  if (foot)
    draw_foot(pen, c, loads,
              {margin, canvas.height - pen.px(pen.theme.presented() ? 20 : 24), area.w, pen.px(20)});
  if (table)
    draw_permutation_table(
        pen, c, {area.right() + 2 * margin, pen.px(6), beside - margin, canvas.height - pen.px(16)});
  return scene;
}

}  // namespace shardscope::inline views
