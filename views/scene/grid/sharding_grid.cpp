// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/grid/grid_parts.h"
#include "views/scene/story/found_once.h"
#include "views/scene/story/now.h"

namespace shardscope::inline views {
namespace {

constexpr float kInsetFrom = 330;  // a picture so wide has the mesh in small below it before a class

int32_t pointed_device(const Selection& s) {
  for (const ItemId* item : {&s.hovered, &s.selected}) {
    if (item->kind == ItemId::Kind::device) return item->device;
  }
  return -1;
}

// Pixels of an element with which every shown matrix fits `room`.
float scale_in(const GridContext& c, Point room) {
  float scale = 1e9F;
  for (const int32_t shown : c.now.shown()) {
    const StoryArray& a = c.story.arrays()[static_cast<size_t>(shown)];
    if (a.dims.size() != 2 || a.dims[0] < 1 || a.dims[1] < 1) continue;
    scale = std::min({scale, room.y / static_cast<float>(a.dims[0]), room.x / static_cast<float>(a.dims[1])});
  }
  return scale < 1e9F ? scale : std::min(room.x, room.y);
}

// Of each size that a shown matrix has in a dimension: as long in all of them, the largest as fits `room`;
// what would leave no room for its blocks is drawn longer.
std::map<int64_t, float> lengths_on_one_scale(const Pen& pen, const GridContext& c, Point room) {
  std::map<int64_t, float> least;
  const float scale = scale_in(c, room);
  for (const int32_t shown : c.now.shown()) {
    const StoryArray& a = c.story.arrays()[static_cast<size_t>(shown)];
    if (a.dims.size() != 2 || a.dims[0] < 1 || a.dims[1] < 1) continue;
    const float name = pen.width(a.block_name(a.block_count() - 1), 0.85F, Face::bold) + pen.px(5);
    least[a.dims[0]] = std::max(least[a.dims[0]], pen.px(19) * static_cast<float>(a.counts[0]));
    least[a.dims[1]] = std::max(least[a.dims[1]], name * static_cast<float>(a.counts[1]));
  }
  std::map<int64_t, float> out;
  for (const auto& [size, length] : least) out[size] = std::max(scale * static_cast<float>(size), length);
  return out;
}

// Before a class all arrays are in sight, on one scale: in as many columns as lets them be largest.
void draw_panels_whole(Pen& pen, const GridContext& c, const Rect& area) {
  const std::vector<int32_t>& shown = c.now.shown();
  const float gap = pen.px(10), title = pen.px(kShortTitle);
  size_t columns = 1;
  float best = 0;
  const auto room_in = [&](size_t across) {
    const auto rows = static_cast<float>((shown.size() + across - 1) / across);
    const auto n = static_cast<float>(across);
    return Point{(area.w - gap * (n - 1)) / n, (area.h - gap * (rows - 1)) / rows - title};
  };
  for (size_t across = 1; across <= shown.size(); ++across) {
    const Point room = room_in(across);
    const float scale = std::min(room.x, room.y) > 0 ? scale_in(c, room) : 0;
    if (scale > best * 1.02F) best = scale, columns = across;
  }
  const Point room = room_in(columns);
  GridContext scaled = c;
  scaled.lengths = lengths_on_one_scale(pen, c, room);
  for (size_t i = 0; i < shown.size(); ++i)
    draw_grid_panel(
        pen, scaled, shown[i],
        {area.x + static_cast<float>(i % columns) * (room.x + gap),
         area.y + static_cast<float>(i / columns) * (room.y + title + gap), room.x, room.y + title});
}

// Panels in rows; those of arrays made on the way stand behind the inputs and results.
void draw_panels(Pen& pen, const GridContext& c, const Rect& area) {
  const std::vector<int32_t>& shown = c.now.shown();
  const bool narrow = area.w < 3 * pen.px(130) + 2 * pen.px(24);
  const float gap = pen.px(narrow ? 14 : 24);
  const float zoom = std::max(0.1F, c.viewport.zoom);
  const auto fits = static_cast<size_t>(std::max(1.0F, (area.w + gap) / (pen.px(narrow ? 104 : 130) + gap)));
  const size_t columns = std::min(shown.size(), fits);
  const size_t rows = (shown.size() + columns - 1) / columns;
  const float width = (area.w * zoom - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  // Rows that would be too low to read are drawn as high as they must be; the view is dragged to them.
  const float height =
      std::max(area.h * zoom / static_cast<float>(rows), rows > 1 ? pen.px(150) * zoom : area.h * zoom);
  const auto visible = static_cast<size_t>(std::max(1.0F, std::floor((area.h + 1) / height))) * columns;
  const bool more_below = visible < shown.size();
  if (more_below) pen.scene.push_clip({0, 0, pen.canvas.width, area.bottom() - pen.text_px(0.85F)});
  for (size_t i = 0; i < shown.size(); ++i) {
    const auto column = static_cast<float>(i % columns);
    const auto row = static_cast<float>(i / columns);
    draw_grid_panel(pen, c, shown[i],
                    {area.x + c.viewport.pan.x + column * (width + gap),
                     area.y + c.viewport.pan.y + row * height, width, height - (rows > 1 ? pen.px(8) : 0)});
  }
  if (!more_below) return;
  pen.scene.pop_clip();
  const std::string more = say("+{} below: drag", counted(shown.size() - visible, "array"));
  pen.text({area.right(), area.bottom() - pen.px(6)}, more, {pen.theme.warning, 0.85F, Align::right});
  pen.accessible({area.x, area.bottom() - pen.px(14), area.w, pen.px(14)}, -1, more);
}

// Arrays, the mesh beside the legend where there is room for both, else the legend alone.
void draw_presented(Pen& pen, const GridContext& c) {
  const float margin = pen.px(8), width = pen.canvas.width - 2 * margin;
  const MeshPlaces places = mesh_places(c.input.run.program.mesh);
  const bool inset = width >= pen.px(kInsetFrom) && pen.canvas.height >= pen.px(kInsetFrom * 0.6F);
  const float mesh_width = inset ? std::min(width * 0.45F, places.columns * pen.px(44)) : 0;
  const float legend_left = margin + mesh_width + (inset ? pen.px(20) : 0);
  const float legend_width = pen.canvas.width - margin - legend_left;
  float foot = grid_legend_height(pen, c, legend_width);
  if (inset) foot = std::max(foot, pen.px(22) + places.rows * pen.px(22));
  const float top = pen.canvas.height - foot - pen.px(2);
  draw_panels_whole(pen, c, {margin, pen.px(4), width, top - pen.px(8)});
  if (inset) draw_grid_inset(pen, c, {margin, top, mesh_width, foot});
  draw_grid_legend(pen, c, {legend_left, top, legend_width, foot});
}

}  // namespace

Scene layout_sharding_grid(const ViewInput& input, const GridViewport& viewport, const Selection& selection,
                           const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const std::string what = said("The sharding grid shows which device has which block");
  if (input.story == nullptr) {
    pen.empty_state(what, why_untold(input));
    return scene;
  }
  const HeldNow& now = held_now(input, selection.time);
  if (now.shown().empty()) {
    pen.empty_state(what, said("This program does not say how its arrays are sharded."));
    return scene;
  }
  const GridContext c{input, viewport, selection, *input.story, now, pointed_device(selection)};
  if (canvas.theme.presented()) {
    draw_presented(pen, c);
    return scene;
  }
  const float margin = pen.px(16);
  const MeshPlaces places = mesh_places(input.run.program.mesh);
  const float foot = std::clamp(pen.px(28) + places.rows * pen.px(30), pen.px(100),
                                std::max(pen.px(100), canvas.height * 0.3F));
  const bool with_foot = canvas.height > foot + pen.px(140);
  const Rect panels{margin, pen.px(8), canvas.width - 2 * margin,
                    canvas.height - (with_foot ? foot : 0) - pen.px(16)};
  pen.scene.push_clip({0, 0, canvas.width, panels.bottom() + pen.px(4)});
  draw_panels(pen, c, panels);
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

}  // namespace shardscope::inline views
