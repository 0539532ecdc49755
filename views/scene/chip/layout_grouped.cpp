// SPDX-License-Identifier: Apache-2.0
#include "views/scene/chip/layout_grouped.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

// Beyond these a picture shows each group's rows, but not each visit.
constexpr int64_t kMostVisits = 3000;
constexpr int64_t kMostPathVisits = 300;
constexpr int64_t kMostSpoken = 400;

int32_t as_index(int64_t value) {
  return static_cast<int32_t>(value);
}

class GroupedPicture {
 public:
  GroupedPicture(const GroupMetadata& meta, const GroupedViewport& viewport, const Canvas& canvas, Pen& pen)
      : meta_(meta), viewport_(viewport), pen_(pen), axis_(grouped_axis(meta, canvas)) {
    // A low canvas keeps the schedule and leaves the rest out: first the steps, then bar and tile numbers.
    const bool low = canvas.height < pen.px(280);
    tight_ = canvas.height < pen.px(210);
    strip_ = {axis_.left, pen.px(tight_ ? 27 : 58), axis_.width, pen.px(tight_ ? 16 : 24)};
    steps_ = {axis_.left, canvas.height - pen.px(low ? 0 : 78), axis_.width, pen.px(low ? 0 : 52)};
    const float top = strip_.bottom() + pen.px(tight_ ? 24 : 48);
    const float room = std::max(pen.px(20), steps_.y - pen.px(low ? 6 : 26) - top);
    line_height_ = std::min(pen.px(34), room / static_cast<float>(std::max<int64_t>(1, meta.groups())));
    grid_ = {axis_.left, top, axis_.width, line_height_ * static_cast<float>(meta.groups())};
  }

  void draw() {
    draw_title();
    draw_grid_lines();
    for (int64_t g = 0; g < meta_.groups(); ++g) draw_group(g);
    draw_nobodys_rows();
    if (meta_.num_tiles <= kMostVisits) {
      for (int64_t step = 0; step < meta_.num_tiles; ++step) draw_visit(meta_.visit(step));
      draw_path();
    } else {
      for (int64_t g = 0; g < meta_.groups(); ++g) draw_rows(g);
    }
    draw_handles();
    draw_steps();
  }

 private:
  bool own(int64_t group) const {
    return group >= meta_.group_offset && group < meta_.group_offset + meta_.local_groups;
  }
  Color color(int64_t group) const {
    const Color full = identity_color(pen_.theme, as_index(group), as_index(meta_.groups()));
    return own(group) ? full : mixed(pen_.theme.background, full, 0.25);
  }
  int64_t start(int64_t group) const { return meta_.group_offsets[static_cast<size_t>(group)]; }
  float line_y(int64_t group) const { return grid_.y + line_height_ * static_cast<float>(group); }
  Rect span(int64_t first, int64_t last, float y, float h) const {
    const float x = axis_.x_of(first);
    return {x, y, axis_.x_of(last) - x, h};
  }

  void hatched(const Rect& r, Color tint, int32_t id) {
    RectItem out;
    out.rect = r;
    out.fill = mixed(pen_.theme.background, tint, 0.12);
    out.border = mixed(pen_.theme.background, tint, 0.5);
    out.border_width = 1;
    out.pattern = Pattern::stripes;
    out.pattern_color = mixed(pen_.theme.background, pen_.theme.muted_text, 0.6);
    out.id = id;
    pen_.scene.add(out);
  }

  void draw_title() {
    const auto efficiency = meta_.efficiency();
    const std::string share = efficiency ? format_percent(*efficiency) : "none";
    const std::string counts =
        say("{} to {} of {} rows · {} wasted · efficiency {}", grouped_count(meta_.num_tiles, "visit"),
            grouped_count(meta_.tiles_m, "tile"), group_digits(meta_.tm),
            grouped_count(meta_.wasted_rows(), "row"), share);
    const std::string title = pen_.fitting(
        {counts, say("{} · efficiency {}", grouped_count(meta_.num_tiles, "visit"), share), share},
        pen_.canvas.width - pen_.px(24), 1, Face::bold);
    pen_.text({pen_.px(12), pen_.px(14)}, title, {pen_.theme.text, 1, Align::left, Face::bold});
    if (tight_) return;
    const Rect bar{axis_.left, pen_.px(28), axis_.width, pen_.px(8)};
    hatched(bar, pen_.theme.warning, -1);
    if (efficiency)
      pen_.rect({bar.x, bar.y, bar.w * static_cast<float>(*efficiency), bar.h}, pen_.theme.compute);
    pen_.text({axis_.left - pen_.px(8), bar.y + bar.h / 2},
              pen_.elided("efficiency", axis_.left - pen_.px(12), 0.85F),
              {pen_.theme.muted_text, 0.85F, Align::right});
    pen_.accessible(bar, -1, counts);
  }

  void draw_grid_lines() {
    const float tile_width = axis_.width / static_cast<float>(meta_.tiles_m);
    const float header = grid_.y - pen_.px(10);
    if (tile_width >= 3) {
      for (int64_t t = 0; t <= meta_.tiles_m; ++t) {
        const float x = axis_.x_of(t * meta_.tm);
        pen_.line({x, grid_.y - pen_.px(3)}, {x, grid_.bottom()}, pen_.theme.rule);
      }
    }
    if (tight_) return;
    const int64_t every = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(pen_.px(52) / tile_width)));
    for (int64_t t = 0; t < meta_.tiles_m; t += every) {
      const Rect box = span(t * meta_.tm, (t + 1) * meta_.tm, header - pen_.px(8), pen_.px(16));
      if (!pen_.text_in(box, say("tile {}", t), {pen_.theme.muted_text, 0.85F, Align::center})) {
        pen_.text({box.x + box.w / 2, header}, fmt::format("{}", t),
                  {pen_.theme.muted_text, 0.85F, Align::center});
      }
    }
  }

  void draw_group(int64_t g) {
    const int64_t first = start(g), last = start(g + 1);
    const int32_t id = pen_.id({ItemId::Kind::chunk, -1, -1, -1, -1, as_index(g)});
    const Rect box = span(first, last, strip_.y, strip_.h);
    if (last > first) {
      pen_.rect(box, color(g), id);
      pen_.text_in(box, fmt::format("{}", g), {text_on(pen_.theme, color(g)), 1, Align::center, Face::bold});
    }
    const Rect line{pen_.px(4), line_y(g), axis_.left - pen_.px(12), line_height_};
    const std::string rows = last > first ? grouped_count(last - first, "row") : "empty";
    const Color ink = own(g) ? pen_.theme.text : pen_.theme.muted_text;
    const std::string label =
        pen_.fitting({say("group {} · {}", g, rows), fmt::format("{} · {}", g, rows), fmt::format("{}", g)},
                     line.w - pen_.px(4), 0.85F);
    pen_.text_in(line, label, {ink, 0.85F, Align::right});
    if (line_height_ >= 6)
      pen_.line({grid_.x, line_y(g + 1)}, {grid_.right(), line_y(g + 1)}, pen_.theme.rule);
    if (g < kMostSpoken) {
      pen_.accessible(
          box, id,
          say("group {}, {}, from row {}{}", g, rows, first, own(g) ? "" : said(", another shard's")));
    }
  }

  void draw_nobodys_rows() {
    const int64_t end = meta_.group_offsets.back();
    if (end == meta_.m) return;
    const Rect box = span(end, meta_.m, strip_.y, strip_.h);
    hatched(box, pen_.theme.warning, -1);
    pen_.text_in(box, said("no group"), {pen_.theme.text, 0.85F, Align::center});
    pen_.accessible(box, -1, say("rows {} to {} of no group: never written", end, meta_.m - 1));
  }

  Rect cell(const TileVisit& v) const {
    const float gap = line_height_ > 8 ? 1.5F : 0;
    return span(v.m_tile * meta_.tm, (v.m_tile + 1) * meta_.tm, line_y(v.group) + gap,
                line_height_ - 2 * gap);
  }

  void draw_visit(const TileVisit& v) {
    const Rect box = cell(v);
    const int32_t id = pen_.id({ItemId::Kind::block, -1, -1, -1, -1, as_index(v.step)});
    if (meta_.wasted_rows(v) > 0) hatched(box, color(v.group), id);
    if (v.rows() == 0 && meta_.wasted_rows(v) == 0) pen_.outline(box, color(v.group), 1, id);
    const Rect rows = span(v.row_start, v.row_stop, box.y, box.h);
    if (v.rows() > 0) pen_.rect(rows, color(v.group), id);
    if (viewport_.step == v.step) pen_.outline(box, pen_.theme.selection, pen_.px(2), id);
    if (v.step < kMostSpoken) pen_.accessible(box, id, describe(meta_, pen_.scene.ids().back()).front());
  }

  // The order of the visits, and the step's number on each.
  void draw_path() {
    if (meta_.num_tiles > kMostPathVisits || line_height_ < pen_.px(9)) return;
    std::vector<Point> points;
    for (int64_t step = 0; step < meta_.num_tiles; ++step) {
      const Rect box = cell(meta_.visit(step));
      points.push_back({box.x + box.w / 2, box.y + box.h / 2});
    }
    LineItem path;
    path.points = points;
    path.color = pen_.theme.text;
    path.width = pen_.px(1);
    path.arrow = true;
    if (points.size() > 1) pen_.scene.add(path);
    for (size_t i = 0; i < points.size(); ++i) {
      const std::string label = fmt::format("{}", i);
      const float half = std::max(pen_.width(label, 0.85F, Face::bold) / 2 + pen_.px(3), pen_.px(8));
      if (cell(meta_.visit(static_cast<int64_t>(i))).w < 2 * half) continue;
      RectItem badge;
      badge.rect = {points[i].x - half, points[i].y - pen_.px(8), 2 * half, pen_.px(16)};
      badge.fill = pen_.theme.background;
      badge.border = pen_.theme.text;
      badge.border_width = 1;
      badge.radius = pen_.px(8);
      badge.id = pen_.id({ItemId::Kind::block, -1, -1, -1, -1, as_index(static_cast<int64_t>(i))});
      pen_.scene.add(badge);
      pen_.text(points[i], label, {pen_.theme.text, 0.85F, Align::center, Face::bold});
    }
  }

  void draw_rows(int64_t g) {
    const float gap = line_height_ > 8 ? 1.5F : 0;
    pen_.rect(span(start(g), start(g + 1), line_y(g) + gap, line_height_ - 2 * gap), color(g));
  }

  // Offsets under the strip; the boundaries between groups can be taken and moved.
  void draw_handles() {
    float free_from = 0;
    for (int64_t b = 0; b <= meta_.groups(); ++b) {
      const float x = axis_.x_of(start(b));
      const std::string label = group_digits(start(b));
      const float half = pen_.width(label, 0.85F) / 2;
      const bool again = b > 0 && start(b) == start(b - 1);
      if (!again && x - half >= free_from) {
        pen_.text({x, strip_.bottom() + pen_.px(14)}, label, {pen_.theme.muted_text, 0.85F, Align::center});
        free_from = x + half + pen_.px(6);
      }
      if (b == 0 || b == meta_.groups() || meta_.groups() > kMostSpoken) continue;
      const bool focused = viewport_.boundary == b;
      const int32_t id = pen_.id({ItemId::Kind::handle, -1, -1, -1, -1, as_index(b)});
      const Rect grip{x - pen_.px(3), strip_.y - pen_.px(3), pen_.px(6), strip_.h + pen_.px(6)};
      RectItem handle;
      handle.rect = grip;
      handle.fill = focused ? pen_.theme.focus : pen_.theme.background;
      handle.border = pen_.theme.text;
      handle.border_width = 1;
      handle.radius = pen_.px(3);
      handle.id = id;
      pen_.scene.add(handle);
      pen_.accessible(grip, id, describe(meta_, pen_.scene.ids().back()).front());
    }
  }

  // One bar per step, own rows at the bottom; where steps are narrower than a few pixels, their mean.
  void draw_steps() {
    if (steps_.h <= 0) return;
    const float y = steps_.bottom();
    pen_.text(
        {steps_.x, steps_.y - pen_.px(10)},
        pen_.fitting({said("steps in order: own rows filled, wasted rows hatched"), said("steps in order")},
                     steps_.w, 0.85F),
        {pen_.theme.muted_text, 0.85F, Align::left});
    if (meta_.num_tiles == 0) {
      pen_.text({steps_.x + steps_.w / 2, steps_.y + steps_.h / 2},
                said("no visits: the groups of this shard are empty"),
                {pen_.theme.muted_text, 1, Align::center});
      return;
    }
    const int64_t most = std::max<int64_t>(1, static_cast<int64_t>(steps_.w / 4));
    const int64_t bars = std::min(meta_.num_tiles, most);
    const float width = std::min(pen_.px(40), steps_.w / static_cast<float>(bars));
    for (int64_t bar = 0; bar < bars; ++bar) {
      const int64_t first = bar * meta_.num_tiles / bars, last = (bar + 1) * meta_.num_tiles / bars;
      int64_t rows = 0, wasted = 0;
      for (int64_t step = first; step < last; ++step) {
        const TileVisit v = meta_.visit(step);
        rows += v.rows();
        wasted += meta_.wasted_rows(v);
      }
      const float part = static_cast<float>(rows) / static_cast<float>((last - first) * meta_.tm);
      const Color tint = color(meta_.visit(first).group);
      const int32_t id = pen_.id({ItemId::Kind::block, -1, -1, -1, -1, as_index(first)});
      const Rect box{steps_.x + width * static_cast<float>(bar), steps_.y, width - (width > 6 ? 2 : 0),
                     steps_.h};
      if (wasted > 0) hatched(box, tint, id);
      if (rows + wasted == 0) pen_.outline(box, tint, 1, id);
      pen_.rect({box.x, y - box.h * part, box.w, box.h * part}, tint, id);
      if (viewport_.step == first && last == first + 1)
        pen_.outline(box, pen_.theme.selection, pen_.px(2), id);
      if (bars == meta_.num_tiles && width >= pen_.px(14)) {
        pen_.text({box.x + box.w / 2, y + pen_.px(10)}, fmt::format("{}", first),
                  {pen_.theme.muted_text, 0.85F, Align::center});
      }
    }
  }

  const GroupMetadata& meta_;
  const GroupedViewport& viewport_;
  Pen& pen_;
  GroupedAxis axis_;
  Rect strip_, grid_, steps_;
  float line_height_ = 0;
  bool tight_ = false;
};

}  // namespace

Scene layout_grouped(const GroupMetadata& metadata, const GroupedViewport& viewport, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  GroupedPicture(metadata, viewport, canvas, pen).draw();
  return scene;
}

}  // namespace shardscope::inline views
