// SPDX-License-Identifier: Apache-2.0
// What stands below the sharding grid: the mesh and the legend.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/core/legend.h"
#include "views/scene/grid/grid_parts.h"

namespace shardscope::inline views {
namespace {

bool holds_pointed_block(const GridContext& c, int32_t device) {
  const std::vector<StoryArray>& arrays = c.story.arrays();
  for (const ItemId* item : {&c.selection.hovered, &c.selection.selected}) {
    if (item->kind != ItemId::Kind::block || item->lane < 0 ||
        static_cast<size_t>(item->lane) >= arrays.size())
      continue;
    if (item->index < 0 || item->index >= c.now.block_count(item->lane)) continue;
    for (const BlockHolder& holder : c.now.holders(item->lane, item->index)) {
      if (holder.device == device) return true;
    }
  }
  return false;
}

}  // namespace

void draw_grid_inset(Pen& pen, const GridContext& c, const Rect& area) {
  const Mesh& mesh = c.input.run.program.mesh;
  const MeshPlaces places = mesh_places(mesh);
  pen.text({area.x, area.y + pen.px(8)},
           pen.fitting({said("devices ") + mesh.text(), mesh.text(), "devices"}, area.w),
           {pen.theme.muted_text, 1, Align::left});
  const float top = area.y + pen.px(20);
  const float cw = std::min((area.w) / places.columns, pen.px(64));
  const float ch = std::min((area.bottom() - top) / places.rows, pen.px(30));
  for (int32_t d = 0; d < mesh.device_count(); ++d) {
    if (cw < 1 || ch < 1) break;
    const Point at = places.cells[static_cast<size_t>(d)];
    const float gap = cw > 6 && ch > 6 ? 2.0F : 0.0F;
    const Rect r{area.x + at.x * cw, top + at.y * ch, cw - gap, ch - gap};
    ItemId item;
    item.kind = ItemId::Kind::device;
    item.device = d;
    const int32_t id = pen.id(item);
    const DeviceLook look = device_look(pen.theme, mesh, d);
    RectItem ground = look_rect(pen.theme, look, r, id);
    const std::string name = device_name(mesh, d);
    float size = 1;
    std::string shown;
    for (size = 1; shown.empty() && size > 0.7F && r.h >= pen.px(14); size -= 0.23F)
      shown = pen.fitting({name, std::to_string(d)}, r.w - pen.px(3), size);
    if (!shown.empty()) ground.pattern = Pattern::none;
    pen.scene.add(ground);
    if (!shown.empty())
      pen.text({r.x + r.w / 2, r.y + r.h / 2}, shown,
               {text_on(pen.theme, look.fill), size + 0.23F, Align::center});
    if (c.device == d || holds_pointed_block(c, d)) pen.outline(r.inset(-1.5F), pen.theme.selection, 3);
    if (d < static_cast<int32_t>(kMostAccessible)) {
      const std::string& held = c.now.holdings(d);
      pen.accessible(r, id, say("device {}, holds {}", name, held.empty() ? said("nothing") : held));
    }
  }
}

namespace {

std::vector<LegendEntry> grid_signs(const Theme& theme, const GridContext& c) {
  const bool patterns = c.input.run.program.mesh.device_count() > 8;
  LegendEntry owner{Mark::owner, 0, {}};
  owner.wordings = {
      patterns ? said("colour and pattern: the owner") : said("colour: the device that owns it"),
      said("colour: the owner"), said("owner")};
  owner.sample.fill = identity_color(theme, 0, 8);
  if (patterns) {
    owner.sample.pattern = Pattern::dots;
    owner.sample.pattern_color = with_alpha(text_on(theme, owner.sample.fill), 0.45);
  }
  LegendEntry partial{
      Mark::partial,
      0,
      {said("“2 of 4”: partial sums so far"), said("“2 of 4”: partial sum"), said("partial sum")}};
  partial.sample.fill = mixed(owner.sample.fill, theme.background, 0.55);
  partial.sample.pattern = Pattern::stripes;
  partial.sample.pattern_color = with_alpha(theme.text, 0.5);
  LegendEntry absent{Mark::absent, 0, {said("on no device now"), said("absent")}};
  absent.sample.fill = theme.panel;
  absent.sample.border = theme.rule;
  absent.sample.border_width = 1;
  LegendEntry replicas{Mark::replicas,
                       0,
                       {said("×2 or a double corner: two devices or more hold it now"),
                        said("×2, double corner: replicas"), said("×2: replicas")}};
  replicas.sample.fill = theme.background;
  return {owner, partial, absent, replicas};
}

}  // namespace

float grid_legend_height(const Pen& pen, const GridContext& c, float width) {
  return legend_lines_height(pen, grid_signs(pen.theme, c), width);
}

// In one column or two, each entry in the longest wording that fits.
void draw_grid_legend(Pen& pen, const GridContext& c, const Rect& area) {
  const std::vector<LegendEntry> entries = marked(pen, grid_signs(pen.theme, c));
  if (pen.theme.presented() && c.story.unknown().empty()) return draw_legend_lines(pen, entries, area);
  const auto unknown = static_cast<int>(c.story.unknown().size());
  const int count = unknown + static_cast<int>(entries.size());
  const float line = pen.px(20);
  const int rows = std::max(1, static_cast<int>(area.h / line));
  const int columns = std::max(1, (count + rows - 1) / rows);
  const float gap = columns > 1 ? pen.px(10) : 0;
  const float width = area.w / static_cast<float>(columns) - gap;
  for (int i = 0; i < count; ++i) {
    const Point at{area.x + static_cast<float>(i / rows) * (width + gap),
                   area.y + pen.px(8) + static_cast<float>(i % rows) * line};
    if (i < unknown) {
      const StoryNote& note = c.story.unknown()[static_cast<size_t>(i)];
      pen.text(at, pen.fitting({said("not known from ") + note.text, said("not all is known"), "≈"}, width),
               {pen.theme.warning, 1, Align::left});
      continue;
    }
    const LegendEntry& entry = entries[static_cast<size_t>(i - unknown)];
    draw_legend_sign(pen, entry, {at.x, at.y - pen.px(6), pen.px(18), pen.px(12)});
    if (entry.mark == Mark::replicas)
      draw_stack_mark(pen, {at.x, at.y - pen.px(6), pen.px(18), pen.px(12)}, pen.theme.text, -1);
    pen.text({at.x + pen.px(26), at.y}, pen.fitting(entry.wordings, width - pen.px(26)),
             {pen.theme.text, 1, Align::left});
  }
}

}  // namespace shardscope::inline views
