// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/atlas.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope {
namespace {

const AtlasWay& way_of(const AtlasTriple& triple, AtlasView::Who who) {
  return who == AtlasView::Who::xla      ? triple.xla
         : who == AtlasView::Who::shardy ? triple.shardy
                                         : triple.best;
}

double value_of(const AtlasWay& way, AtlasView::Of of) {
  return of == AtlasView::Of::time    ? static_cast<double>(way.time)
         : of == AtlasView::Of::bytes ? way.bytes
                                      : static_cast<double>(way.peak_bytes);
}

std::string value_text(const AtlasWay& way, AtlasView::Of of) {
  if (of == AtlasView::Of::time) return format_picoseconds(way.time);
  return format_bytes(of == AtlasView::Of::bytes ? way.bytes : static_cast<double>(way.peak_bytes));
}

std::string title_of(const AtlasView& view) {
  const std::string what = view.of == AtlasView::Of::time    ? said("Time")
                           : view.of == AtlasView::Of::bytes ? said("Bytes that a device sends")
                                                             : said("Most memory on a device");
  const std::string who = view.who == AtlasView::Who::xla      ? said("XLA's partitioner")
                          : view.who == AtlasView::Who::shardy ? said("Shardy's partitioner")
                                                               : said("the fastest way");
  return say("{} of {}, X down by W across", what, who);
}

// Who computes it as fast as the best way does.
std::string winners(const AtlasTriple& t) {
  std::string out;
  if (t.xla.time <= t.best.time) out += "X";
  if (t.shardy.time <= t.best.time) out += "S";
  return out;
}

// The grid of cells and the range of what they show.
struct HeatMap {
  Rect plot;
  float cell_w = 1, cell_h = 1;
  double low = std::numeric_limits<double>::infinity(), high = 0;
  // 0 for the least, 1 for the most, by magnitudes.
  double place(double value) const {
    if (high <= low || low <= 0) return high <= 0 ? 0 : value / high;
    return std::log(value / low) / std::log(high / low);
  }
};

void draw_cell(Pen& pen, const HeatMap& map, const AtlasView& view, const AtlasTriple& t, const Rect& box,
               int32_t number) {
  const AtlasWay& way = way_of(t, view.who);
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = number;
  const int32_t id = pen.id(item);
  const double place = map.place(value_of(way, view.of));
  const Color fill = cividis(std::clamp(place, 0.0, 1.0));
  pen.rect(box, fill, id);
  const Color ink = place < 0.55 ? Color{255, 255, 255, 255} : Color{0, 0, 0, 255};
  const Rect top{box.x, box.y, box.w, box.h * 0.6F},
      bottom{box.x, box.y + box.h * 0.55F, box.w, box.h * 0.4F};
  pen.text_in(top, value_text(way, view.of), {ink, 0.85F, Align::center});
  std::string note = say("case {}", static_cast<int>(t.which));
  if (const std::string who = winners(t); !who.empty()) note += " · " + who;
  if (way.collectives.empty()) note = said("free");
  pen.text_in(bottom, note, {ink, 0.7F, Align::center});
}

}  // namespace

const AtlasTriple& shown_triple(const Atlas& atlas, const AtlasView& view, size_t lhs, size_t rhs) {
  if (view.result) return atlas.at(lhs, rhs, *view.result);
  size_t best = 0;
  for (size_t result = 1; result < atlas.splits.size(); ++result)
    if (value_of(way_of(atlas.at(lhs, rhs, result), view.who), view.of) <
        value_of(way_of(atlas.at(lhs, rhs, best), view.who), view.of))
      best = result;
  return atlas.at(lhs, rhs, best);
}

Scene layout_atlas(const Atlas& atlas, const std::vector<std::string>& specs, const AtlasView& view,
                   const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const size_t n = atlas.splits.size();
  if (n == 0) {
    pen.empty_state(
        said("An atlas shows every sharding of a product's arrays: what moves, and how long it takes"),
        said("Nothing was computed."));
    return scene;
  }
  float label = 0;
  for (const std::string& spec : specs) label = std::max(label, pen.width(spec, 0.85F));
  label = std::min(label, canvas.width * 0.3F);
  HeatMap map;
  const float top = pen.px(74), left = label + pen.px(20);
  map.plot = {left, top, std::max(1.0F, canvas.width - left - pen.px(12)),
              std::max(1.0F, canvas.height - top - pen.px(12))};
  map.cell_w = map.plot.w / static_cast<float>(n);
  map.cell_h = map.plot.h / static_cast<float>(n);
  for (size_t lhs = 0; lhs < n; ++lhs) {
    for (size_t rhs = 0; rhs < n; ++rhs) {
      const double value = value_of(way_of(shown_triple(atlas, view, lhs, rhs), view.who), view.of);
      map.high = std::max(map.high, value);
      if (value > 0) map.low = std::min(map.low, value);
    }
  }
  const float room = canvas.width - pen.px(24);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title_of(view), room, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const std::string of = view.result ? say("Y lies as {}", specs[*view.result]) : said("Y lies as is best");
  pen.text({pen.px(12), pen.px(32)},
           pen.elided(
               say("{}; X, S: XLA's, Shardy's way is as fast as the fastest; case: of a sharded product", of),
               room),
           {pen.theme.muted_text, 1, Align::left});
  for (size_t k = 0; k < n; ++k) {
    const float along = static_cast<float>(k) + 0.5F;
    pen.text({left - pen.px(6), top + along * map.cell_h}, pen.elided(specs[k], label, 0.85F),
             {pen.theme.text, 0.85F, Align::right});
    pen.text({left + along * map.cell_w, top - pen.px(12)},
             pen.elided(specs[k], map.cell_w - pen.px(4), 0.85F), {pen.theme.text, 0.85F, Align::center});
  }
  for (size_t lhs = 0; lhs < n; ++lhs) {
    for (size_t rhs = 0; rhs < n; ++rhs) {
      const AtlasTriple& t = shown_triple(atlas, view, lhs, rhs);
      const Rect box{left + static_cast<float>(rhs) * map.cell_w, top + static_cast<float>(lhs) * map.cell_h,
                     map.cell_w - 1, map.cell_h - 1};
      draw_cell(pen, map, view, t, box, static_cast<int32_t>(lhs * n + rhs));
      pen.accessible(box, -1,
                     say("X {} W {} Y {}: {}, {}", specs[lhs], specs[rhs], specs[t.result],
                         value_text(way_of(t, view.who), view.of), t.strategy));
    }
  }
  return scene;
}

}  // namespace shardscope
