// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/atlas.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
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

// The arrays by their letters, with the one that is pinned as what.
struct PinnedArrays {
  std::vector<std::string> free, pinned;
};
PinnedArrays arrays_of(const AtlasView& view, const std::vector<std::string>& specs) {
  PinnedArrays out;
  for (const auto& [letter, pin] :
       {std::pair("X", view.lhs), std::pair("W", view.rhs), std::pair("Y", view.result)}) {
    if (pin)
      out.pinned.push_back(fmt::format("{} {}", letter, specs[*pin]));
    else
      out.free.emplace_back(letter);
  }
  return out;
}

std::string title_of(const AtlasView& view, const std::vector<std::string>& free) {
  const std::string what = view.of == AtlasView::Of::time    ? said("Time")
                           : view.of == AtlasView::Of::bytes ? said("Bytes that a device sends")
                                                             : said("Most memory on a device");
  const std::string who = view.who == AtlasView::Who::xla      ? said("XLA's partitioner")
                          : view.who == AtlasView::Who::shardy ? said("Shardy's partitioner")
                                                               : said("the fastest way");
  if (free.size() < 2) return say("{} of {}", what, who);
  return say("{} of {}, {} down by {} across", what, who, free[0], free[1]);
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

// White or black on that place of the scale.
Color ink_on(double place) {
  return place < 0.55 ? Color{255, 255, 255, 255} : Color{0, 0, 0, 255};
}

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
  const Color ink = ink_on(place);
  const Rect top{box.x, box.y, box.w, box.h * 0.6F},
      bottom{box.x, box.y + box.h * 0.55F, box.w, box.h * 0.4F};
  const TextStyle value{ink, 0.85F, Align::center};
  // In a cell that is too low for two lines the value alone.
  if (bottom.h < pen.text_px(0.7F)) {
    pen.text_in(box, value_text(way, view.of), value);
    return;
  }
  pen.text_in(top, value_text(way, view.of), value);
  const std::string which = say("case {}", static_cast<int>(t.which)), who = winners(t);
  std::string note = which;
  if (way.collectives.empty())
    note += " · " + said("free");
  else if (!who.empty())
    note += " · " + who;
  pen.text_in(bottom, pen.fitting({note, which}, bottom.w - pen.px(4), 0.7F), {ink, 0.7F, Align::center});
}

// Which triples a cell may stand for: a pinned array's sharding, or that of the row or the column.
struct CellChoice {
  std::optional<size_t> lhs, rhs, result;
};
CellChoice choice_of(const AtlasView& view, size_t row, size_t column) {
  CellChoice out{view.lhs, view.rhs, view.result};
  size_t taken = 0;
  for (std::optional<size_t>* each : {&out.lhs, &out.rhs, &out.result}) {
    if (*each || taken == 2) continue;
    *each = taken++ == 0 ? row : column;
  }
  return out;
}

std::vector<std::string> labels_of(const std::vector<std::string>& specs, size_t count) {
  return count == 1 && specs.size() != 1 ? std::vector<std::string>{""} : specs;
}

class AtlasPicture {
 public:
  AtlasPicture(const Atlas& atlas, const std::vector<std::string>& specs, const AtlasView& view, Pen& pen,
               const Atlas* before)
      : atlas_(atlas),
        specs_(specs),
        view_(view),
        pen_(pen),
        before_(before),
        grid_(atlas_grid(atlas, view)),
        rows_(labels_of(specs, grid_.rows)),
        columns_(labels_of(specs, grid_.columns)) {
    for (const std::string& row : rows_) label_ = std::max(label_, pen.width(row, 0.85F));
    label_ = std::min(label_, pen.canvas.width * 0.3F);
    const float top = pen.px(74), left = label_ + pen.px(20);
    map_.plot = {left, top, std::max(1.0F, pen.canvas.width - left - pen.px(12)),
                 std::max(1.0F, pen.canvas.height - top - pen.px(12))};
    map_.cell_w = map_.plot.w / static_cast<float>(grid_.columns);
    map_.cell_h = map_.plot.h / static_cast<float>(grid_.rows);
    // A column alone is no wall of one colour.
    if (grid_.columns == 1) map_.cell_w = std::min(map_.cell_w, pen.px(220));
    for_each([this](size_t row, size_t column) {
      const double value = value_of(way_of(shown_triple(atlas_, view_, row, column), view_.who), view_.of);
      map_.high = std::max(map_.high, value);
      if (value > 0) map_.low = std::min(map_.low, value);
    });
  }

  void draw() {
    draw_words();
    for (size_t row = 0; row < grid_.rows; ++row)
      pen_.text({map_.plot.x - pen_.px(6), map_.plot.y + (static_cast<float>(row) + 0.5F) * map_.cell_h},
                pen_.elided(rows_[row], label_, 0.85F), {pen_.theme.text, 0.85F, Align::right});
    for (size_t column = 0; column < grid_.columns; ++column)
      pen_.text({map_.plot.x + (static_cast<float>(column) + 0.5F) * map_.cell_w, map_.plot.y - pen_.px(12)},
                pen_.elided(columns_[column], map_.cell_w - pen_.px(4), 0.85F),
                {pen_.theme.text, 0.85F, Align::center});
    for_each([this](size_t row, size_t column) { draw_place(row, column); });
  }

 private:
  template <class Do>
  void for_each(const Do& act) const {
    for (size_t row = 0; row < grid_.rows; ++row)
      for (size_t column = 0; column < grid_.columns; ++column) act(row, column);
  }

  void draw_words() {
    const float room = pen_.canvas.width - pen_.px(24);
    const PinnedArrays arrays = arrays_of(view_, specs_);
    pen_.text({pen_.px(12), pen_.px(14)}, pen_.elided(title_of(view_, arrays.free), room, 1, Face::bold),
              {pen_.theme.text, 1, Align::left, Face::bold});
    std::string of;
    for (const std::string& pinned : arrays.pinned) of += pinned + "; ";
    if (arrays.free.size() == 3) of = said("Y as is best") + "; ";
    std::string line =
        of + said("X, S: XLA's, Shardy's way is as fast as the fastest; case: of a sharded product");
    if (before_ != nullptr) line += "; " + said("ring: another way was the fastest at the first sizes");
    pen_.text({pen_.px(12), pen_.px(32)}, pen_.elided(line, room), {pen_.theme.muted_text, 1, Align::left});
  }

  void draw_place(size_t row, size_t column) {
    const AtlasTriple& t = shown_triple(atlas_, view_, row, column);
    const Rect box{map_.plot.x + static_cast<float>(column) * map_.cell_w,
                   map_.plot.y + static_cast<float>(row) * map_.cell_h, map_.cell_w - 1, map_.cell_h - 1};
    draw_cell(pen_, map_, view_, t, box, static_cast<int32_t>(row * grid_.columns + column));
    const bool crossed = before_ != nullptr && before_->at(t.lhs, t.rhs, t.result).strategy != t.strategy;
    const double place = map_.place(value_of(way_of(t, view_.who), view_.of));
    if (crossed) pen_.outline(box.inset(pen_.px(2)), ink_on(place), pen_.px(2.5F));
    std::string words = say("X {} W {} Y {}: {}, {}; {}", specs_[t.lhs], specs_[t.rhs], specs_[t.result],
                            value_text(way_of(t, view_.who), view_.of), t.strategy, case_words(t.which));
    if (crossed) words += "; " + say("before: {}", before_->at(t.lhs, t.rhs, t.result).strategy);
    pen_.accessible(box, -1, std::move(words));
  }

  const Atlas& atlas_;
  const std::vector<std::string>& specs_;
  const AtlasView& view_;
  Pen& pen_;
  const Atlas* before_;
  AtlasGrid grid_;
  std::vector<std::string> rows_, columns_;
  float label_ = 0;
  HeatMap map_;
};

}  // namespace

std::string case_words(ProductCase which) {
  switch (which) {
    case ProductCase::whole:
      return said("case 1: k is whole, every device multiplies what it has");
    case ProductCase::one_side:
      return said("case 2: k is split in one operand alone, or otherwise in the other");
    case ProductCase::both_sides:
      return said("case 3: k is split in both alike, products are partial sums");
    case ProductCase::shared_axis:
      return said("case 4: one axis splits the rows of X and the columns of W");
  }
  return "";
}

AtlasGrid atlas_grid(const Atlas& atlas, const AtlasView& view) {
  const size_t n = atlas.splits.size();
  const int free = (view.lhs ? 0 : 1) + (view.rhs ? 0 : 1) + (view.result ? 0 : 1);
  return {free >= 1 ? n : 1, free >= 2 ? n : 1};
}

const AtlasTriple& shown_triple(const Atlas& atlas, const AtlasView& view, size_t row, size_t column) {
  const CellChoice at = choice_of(view, row, column);
  if (at.result) return atlas.at(*at.lhs, *at.rhs, *at.result);
  size_t best = 0;
  for (size_t result = 1; result < atlas.splits.size(); ++result)
    if (value_of(way_of(atlas.at(*at.lhs, *at.rhs, result), view.who), view.of) <
        value_of(way_of(atlas.at(*at.lhs, *at.rhs, best), view.who), view.of))
      best = result;
  return atlas.at(*at.lhs, *at.rhs, best);
}

size_t crossed_cells(const Atlas& atlas, const Atlas& before, const AtlasView& view) {
  const AtlasGrid grid = atlas_grid(atlas, view);
  size_t out = 0;
  for (size_t row = 0; row < grid.rows; ++row) {
    for (size_t column = 0; column < grid.columns; ++column) {
      const AtlasTriple& now = shown_triple(atlas, view, row, column);
      out += now.strategy != before.at(now.lhs, now.rhs, now.result).strategy ? 1U : 0U;
    }
  }
  return out;
}

Scene layout_atlas(const Atlas& atlas, const std::vector<std::string>& specs, const AtlasView& view,
                   const Canvas& canvas, const Atlas* before) {
  Scene scene;
  Pen pen(scene, canvas);
  if (atlas.splits.empty()) {
    pen.empty_state(
        said("An atlas shows every sharding of a product's arrays: what moves, and how long it takes"),
        said("Nothing was computed."));
    return scene;
  }
  AtlasPicture(atlas, specs, view, pen, before).draw();
  return scene;
}

}  // namespace shardscope::inline views
