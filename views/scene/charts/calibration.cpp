// SPDX-License-Identifier: Apache-2.0
#include "views/scene/charts/calibration.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/plot_axis.h"

namespace shardscope::inline views {
namespace {

constexpr double kNear = 1.1;      // within 10 %: the band
constexpr double kFarthest = 32;   // ratios beyond stand at the edge
constexpr float kBarsWidth = 300;  // of the groups' bars
constexpr float kGroupRow = 30;

bool is_product(const CalibratedPoint& point) {
  return point.group.starts_with("matmul");
}

// What its points were doing, whatever the group's size: "all-reduce" of "all-reduce 8".
std::string kind_of(const std::string& group) {
  const size_t blank = group.rfind(' ');
  const bool sized = blank != std::string::npos && blank + 1 < group.size() &&
                     group.find_first_not_of("0123456789", blank + 1) == std::string::npos;
  return sized ? group.substr(0, blank) : group;
}

std::vector<std::string> kinds_of(const Calibration& calibration) {
  std::vector<std::string> out;
  for (const CalibratedPoint& point : calibration.points) {
    const std::string kind = kind_of(point.group);
    if (std::find(out.begin(), out.end(), kind) == out.end()) out.push_back(kind);
  }
  return out;
}

struct Drawing {
  Pen& pen;
  const Calibration& calibration;
  const CalibrationChoice& choice;
  const Selection& selection;
  std::vector<std::string> kinds;

  bool shows(const CalibratedPoint& point) const {
    return choice.group.empty() || point.group == choice.group || kind_of(point.group) == choice.group;
  }
  Color color(const std::string& group) const {
    return identity_color(pen.theme, kind(group), static_cast<int>(std::max<size_t>(kinds.size(), 8)));
  }
  int32_t kind(const std::string& group) const {
    return static_cast<int32_t>(std::find(kinds.begin(), kinds.end(), kind_of(group)) - kinds.begin());
  }
};

Rect around(Point middle, float radius) {
  return {middle.x - radius, middle.y - radius, 2 * radius, 2 * radius};
}

struct ScatterFrame {
  Rect plot;
  PlotAxis x, y;
  bool flops = false;
};

double ratio_of(double predicted_s, double measured_s) {
  return std::clamp(predicted_s / measured_s, 1 / kFarthest, kFarthest);
}

// Both ways from 1 alike, so that twice as long stands as far off as half as long.
PlotAxis ratio_axis(const Drawing& d, const Rect& plot) {
  double farthest = 1.5;
  for (const CalibratedPoint& point : d.calibration.points) {
    if (!d.shows(point)) continue;
    for (const double predicted : {point.after_s, d.choice.before ? point.before_s : point.after_s}) {
      const double ratio = ratio_of(predicted, point.measured_s);
      farthest = std::max(farthest, std::max(ratio, 1 / ratio) * 1.1);
    }
  }
  return {true, 1 / farthest, farthest, plot.bottom(), -plot.h};
}

std::string ratio_text(double ratio) {
  return ratio < 1 ? fmt::format("1/{:.3g}", 1 / ratio) : fmt::format("{:.3g}", ratio);
}

std::string size_text(double size, bool flops) {
  if (!flops) return format_bytes(size);
  std::string text = format_rate(size, "FLOP");
  return text;
}

void draw_frame(const Drawing& d, const ScatterFrame& f, const std::string& title) {
  Pen& pen = d.pen;
  pen.text({f.plot.x, f.plot.y - pen.px(12)}, pen.elided(title, f.plot.w, 0.9F, Face::bold),
           {pen.theme.text, 0.9F, Align::left, Face::bold});
  const float top = f.y.at(kNear), bottom = f.y.at(1 / kNear);
  pen.rect({f.plot.x, top, f.plot.w, bottom - top}, with_alpha(pen.theme.compute, 0.12));
  for (const double ratio : {1 / 16.0, 1 / 8.0, 0.25, 0.5, 0.8, 1.0, 1.25, 2.0, 4.0, 8.0, 16.0}) {
    if (ratio < f.y.from || ratio > f.y.to) continue;
    if ((ratio == 0.8 || ratio == 1.25) && f.y.to > 8) continue;
    const float at = f.y.at(ratio);
    pen.line({f.plot.x, at}, {f.plot.right(), at}, ratio == 1 ? pen.theme.muted_text : pen.theme.rule);
    pen.text({f.plot.x - pen.px(6), at}, ratio_text(ratio), {pen.theme.muted_text, 0.85F, Align::right});
  }
  float free_from = f.plot.x - pen.px(30);
  for (const double size : plot_ticks(f.x, std::max(2, static_cast<int>(f.plot.w / pen.px(80))), !f.flops)) {
    const float at = f.x.at(size);
    pen.line({at, f.plot.y}, {at, f.plot.bottom()}, pen.theme.rule);
    const std::string label = size_text(size, f.flops);
    const float half = pen.width(label, 0.85F) / 2;
    if (at - half < free_from || at + half > f.plot.right() + pen.px(14)) continue;
    free_from = at + half + pen.px(8);
    pen.text({at, f.plot.bottom() + pen.px(12)}, label, {pen.theme.muted_text, 0.85F, Align::center});
  }
}

void draw_points(const Drawing& d, const ScatterFrame& f) {
  Pen& pen = d.pen;
  const auto each = [&](auto draw) {
    for (size_t i = 0; i < d.calibration.points.size(); ++i) {
      const CalibratedPoint& point = d.calibration.points[i];
      if (is_product(point) == f.flops && d.shows(point)) draw(i, point);
    }
  };
  const auto place = [&](const CalibratedPoint& point, double predicted) {
    return Point{f.x.at(point.size), f.y.at(ratio_of(predicted, point.measured_s))};
  };
  if (d.choice.before) {
    each([&](size_t, const CalibratedPoint& point) {
      pen.scene.add(CircleItem{place(point, point.before_s), pen.px(1.8F), with_alpha(pen.theme.copy, 0.55),
                               pen.theme.copy, 0, -1});
      pen.mark(Mark::before_fit, around(place(point, point.before_s), pen.px(1.8F)));
    });
  }
  each([&](size_t i, const CalibratedPoint& point) {
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(i);
    const bool marked = d.selection.selected == item || d.selection.hovered == item;
    const Color color = d.color(point.group);
    const Point at = place(point, point.after_s);
    const float radius = pen.px(marked ? 5 : 3.2F);
    const int32_t id = pen.id(item);
    if (marked && d.choice.before)
      pen.scene.add(LineItem{{place(point, point.before_s), at}, pen.theme.selection, 1.5F, true, true, -1});
    // What the chip is judged by is filled, what it was fitted to a ring.
    pen.scene.add(CircleItem{at, radius, point.held_out ? color : pen.theme.background,
                             marked ? pen.theme.selection : color, marked ? 2.5F : 1.4F, id});
    pen.mark(point.held_out ? Mark::held_out : Mark::fitted_to, around(at, radius));
    pen.mark(Mark::kind, around(at, radius), d.kind(point.group));
    std::string name = point.group + ", ";
    for (const std::string& line : words_of(point)) name += (name.ends_with(", ") ? "" : "; ") + line;
    pen.accessible({at.x - radius, at.y - radius, 2 * radius, 2 * radius}, id, name);
  });
}

void draw_scatter(const Drawing& d, const Rect& box, bool flops) {
  double low = 1e300, high = 0;
  for (const CalibratedPoint& point : d.calibration.points) {
    if (is_product(point) != flops || !d.shows(point)) continue;
    low = std::min(low, std::max(point.size, 1.0));
    high = std::max(high, point.size);
  }
  if (high <= 0) return;
  Pen& pen = d.pen;
  ScatterFrame f;
  f.flops = flops;
  f.plot = {box.x + pen.px(46), box.y + pen.px(26), std::max(1.0F, box.w - pen.px(62)),
            std::max(1.0F, box.h - pen.px(52))};
  f.x = {true, low / 1.5, high * 1.5, f.plot.x, f.plot.w};
  f.y = ratio_axis(d, f.plot);
  draw_frame(d, f,
             flops ? said("products: predicted / measured, by flops")
                   : said("all else: predicted / measured, by bytes"));
  draw_points(d, f);
}

// `part` of the room's width, from 0 to 1.
void draw_bar(Pen& pen, const Rect& room, float from_top, double part, Color fill, bool hollow) {
  const Rect bar{room.x, room.y + from_top, std::max(1.0F, room.w * static_cast<float>(std::min(1.0, part))),
                 pen.px(6)};
  if (hollow)
    pen.outline(bar, fill, 1);
  else
    pen.rect(bar, fill);
}

// A row for each group: what the preset was wrong by, what the fit is on points that it has seen and not
// seen.
void draw_groups(const Drawing& d, const Rect& box) {
  Pen& pen = d.pen;
  pen.text({box.x, box.y + pen.px(14)},
           pen.elided(said("mean error: held out, fitted, before"), box.w, 0.9F, Face::bold),
           {pen.theme.text, 0.9F, Align::left, Face::bold});
  double longest = 0.05;
  for (const CalibratedGroup& group : d.calibration.groups)
    longest = std::max({longest, group.train_error, group.test_error, std::min(group.before_error, 1.0)});
  const auto& groups = d.calibration.groups;
  const float first = box.y + pen.px(28);
  const auto fits = static_cast<size_t>(std::max(0.0F, (box.bottom() - first) / pen.px(kGroupRow)));
  const size_t shown = groups.size() <= fits ? groups.size() : (fits > 0 ? fits - 1 : 0);
  const float names = box.w * 0.4F, values = pen.px(52);
  for (size_t i = 0; i < shown; ++i) {
    const CalibratedGroup& group = groups[i];
    const Rect row{box.x, first + pen.px(kGroupRow) * static_cast<float>(i), box.w, pen.px(kGroupRow)};
    ItemId item;
    item.kind = ItemId::Kind::handle;
    item.index = static_cast<int32_t>(i);
    const bool marked = d.selection.hovered == item || d.choice.group == group.group;
    const int32_t id = pen.id(item);
    pen.rect(row, marked ? with_alpha(pen.theme.selection, 0.18) : with_alpha(pen.theme.panel, 0.01), id);
    pen.text({row.x + pen.px(4), row.y + row.h / 2}, pen.elided(group.group, names - pen.px(8), 0.9F),
             {pen.theme.text, 0.9F});
    const Rect room{row.x + names, row.y + pen.px(4), std::max(1.0F, row.w - names - values), row.h};
    const Color color = d.color(group.group);
    if (group.held_out > 0) draw_bar(pen, room, 0, group.test_error / longest, color, false);
    draw_bar(pen, room, pen.px(7), group.train_error / longest, color, true);
    draw_bar(pen, room, pen.px(14), group.before_error / longest, with_alpha(pen.theme.copy, 0.55), false);
    const std::string error =
        group.held_out > 0 ? format_percent(group.test_error) : format_percent(group.train_error);
    pen.text({row.right() - pen.px(4), row.y + row.h / 2}, error,
             {pen.theme.text, 0.9F, Align::right, Face::bold});
    pen.accessible(row, id,
                   say("{}: {}, {} of them held out: mean error {} held out, {} fitted, {} before; "
                       "the worst {} ({})",
                       group.group, counted(group.points, "point"), group.held_out,
                       format_percent(group.test_error), format_percent(group.train_error),
                       format_percent(group.before_error), format_percent(group.worst), group.worst_point));
  }
  if (shown < groups.size())
    pen.text({box.x + pen.px(4), first + pen.px(kGroupRow) * (static_cast<float>(shown) + 0.5F)},
             say("{} more are in the table", groups.size() - shown), {pen.theme.muted_text, 0.85F});
}

void draw_legend(const Drawing& d, float width) {
  Pen& pen = d.pen;
  float x = pen.px(12);
  const float y = pen.px(32);
  const auto mark = [&](Mark what, int32_t number, const std::string& text, Color fill, Color border,
                        float line) {
    if (!pen.marked(what, number)) return;
    const float w = pen.width(text, 0.85F);
    if (x + w + pen.px(18) > width) return;
    pen.scene.add(CircleItem{{x + pen.px(4), y}, pen.px(3.2F), fill, border, line, -1});
    pen.text({x + pen.px(12), y}, text, {pen.theme.muted_text, 0.85F});
    x += w + pen.px(28);
  };
  for (const std::string& kind : d.kinds)
    mark(Mark::kind, d.kind(kind), kind, d.color(kind), d.color(kind), 0);
  mark(Mark::fitted_to, 0, said("fitted to"), pen.theme.background, pen.theme.text, 1.4F);
  mark(Mark::held_out, 0, said("held out"), pen.theme.text, pen.theme.text, 0);
  mark(Mark::before_fit, 0, said("before the fit"), with_alpha(pen.theme.copy, 0.55), pen.theme.copy, 0);
}

}  // namespace

std::vector<std::string> groups_of(const Calibration& calibration) {
  std::vector<std::string> out;
  for (const CalibratedPoint& point : calibration.points)
    if (std::find(out.begin(), out.end(), point.group) == out.end()) out.push_back(point.group);
  return out;
}

Scene layout_calibration(const Calibration& calibration, const CalibrationChoice& choice,
                         const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (calibration.points.empty()) {
    pen.empty_state(said("Predicted beside measured"), said("There is no point that the model times."));
    return scene;
  }
  const Drawing d{pen, calibration, choice, selection, kinds_of(calibration)};
  pen.text({pen.px(12), pen.px(14)},
           pen.elided(say("{}: predicted over measured; 1 is right, the band is 10 %", calibration.chip),
                      canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const float top = pen.px(48);
  const bool wide = canvas.width > pen.px(640);
  const float column = wide ? std::min(pen.px(kBarsWidth), canvas.width * 0.36F) : canvas.width - pen.px(24);
  const auto any = [&](bool flops) {
    return std::any_of(calibration.points.begin(), calibration.points.end(),
                       [&](const CalibratedPoint& p) { return is_product(p) == flops && d.shows(p); });
  };
  const int panels = std::max(1, (any(true) ? 1 : 0) + (any(false) ? 1 : 0));
  Rect room{0, top, wide ? canvas.width - column - pen.px(16) : canvas.width, canvas.height - top};
  if (!wide) room.h *= 0.6F;
  const bool beside = room.w > pen.px(330) * static_cast<float>(panels);
  Rect panel = room;
  (beside ? panel.w : panel.h) /= static_cast<float>(panels);
  for (const bool flops : {true, false}) {
    if (!any(flops)) continue;
    draw_scatter(d, panel, flops);
    (beside ? panel.x : panel.y) += beside ? panel.w : panel.h;
  }
  if (wide)
    draw_groups(d, {room.right() + pen.px(8), top, column, room.h});
  else
    draw_groups(d, {pen.px(12), room.bottom(), column, canvas.height - room.bottom()});
  draw_legend(d, canvas.width - pen.px(12));
  return scene;
}

}  // namespace shardscope::inline views
