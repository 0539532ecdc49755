// SPDX-License-Identifier: Apache-2.0
// Who wins where: a curve per strategy over the swept quantity and a strip of winners below.
#include "engine/study/crossover.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/charts/crossover_values.h"
#include "views/scene/core/end_labels.h"
#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kToldStrategies = 8;
constexpr float kPanelWidth = 300, kPanelHeight = 210;  // the least that a panel is readable at

// What all panels share.
struct Sweep {
  const CrossoverTable& table;
  const Selection& selection;
  size_t along;
  std::vector<std::string> told;
  double fast = 1e300, slow = 0;

  std::optional<Color> color(const Theme& theme, const std::string& strategy) const {
    const auto place = std::find(told.begin(), told.end(), strategy);
    if (place == told.end()) return std::nullopt;
    return identity_color(theme, static_cast<int>(place - told.begin()), static_cast<int>(kToldStrategies));
  }
  const SweepPoint& point(size_t place) const { return table.points[place]; }
  size_t value_of(size_t place) const { return static_cast<size_t>(point(place).at[along]); }
};

struct PanelFrame {
  Rect plot;
  ValueAxis x;
  PlotAxis y;
};

std::vector<std::string> strategies_in(const Sweep& sweep, const CrossoverPanelPoints& panel) {
  std::vector<std::string> out;
  for (const size_t p : panel.points) {
    for (const StrategyTime& time : sweep.point(p).ranking) {
      if (std::find(out.begin(), out.end(), time.strategy) == out.end()) out.push_back(time.strategy);
    }
  }
  return out;
}

std::string spoken_point(const Sweep& sweep, size_t place) {
  const SweepPoint& point = sweep.point(place);
  std::string out;
  for (size_t a = 0; a < sweep.table.axes.size(); ++a) {
    const SweepAxis& axis = sweep.table.axes[a];
    out += (a == 0 ? "" : ", ") + axis.name + " = " + axis.values[static_cast<size_t>(point.at[a])];
  }
  if (point.ranking.empty()) return out + said(": nothing can run here");
  out += say(": {} wins with {}", point.ranking[0].strategy, format_seconds(point.ranking[0].priced_s()));
  if (point.ranking.size() > 1 && point.ranking[0].priced_s() > 0) {
    out += say(", {} ahead of {}", format_ratio(point.ranking[1].priced_s() / point.ranking[0].priced_s()),
               point.ranking[1].strategy);
  }
  return out;
}

void draw_panel_axes(Pen& pen, const Sweep& sweep, const PanelFrame& f) {
  for (const double value : plot_ticks(f.y, std::max(2, static_cast<int>(f.plot.h / pen.px(34))))) {
    const float at = f.y.at(value);
    pen.line({f.plot.x, at}, {f.plot.right(), at}, pen.theme.rule);
    pen.text({f.plot.x - pen.px(6), at}, format_seconds(value), {pen.theme.muted_text, 0.85F, Align::right});
  }
  const SweepAxis& axis = sweep.table.axes[sweep.along];
  const auto numbers = numbers_of(axis);
  float free_from = f.plot.x - pen.px(20);
  for (size_t i = 0; i < axis.values.size(); ++i) {
    const float at = f.x.x[i];
    pen.line({at, f.plot.y}, {at, f.plot.bottom()}, pen.theme.rule);
    const bool whole =
        numbers && (*numbers)[i] == std::floor((*numbers)[i]) && std::abs((*numbers)[i]) < 1e15;
    const std::string label = whole ? group_digits(static_cast<int64_t>((*numbers)[i]))
                                    : pen.elided(axis.values[i], pen.px(110), 0.85F);
    const float half = pen.width(label, 0.85F) / 2;
    if (at - half < free_from || at + half > pen.canvas.width) continue;
    free_from = at + half + pen.px(8);
    pen.text({at, f.plot.bottom() + pen.px(12)}, label, {pen.theme.muted_text, 0.85F, Align::center});
  }
}

// A strategy's curve breaks where it cannot run.
void draw_time_curve(Pen& pen, const Sweep& sweep, const CrossoverPanelPoints& panel, const PanelFrame& f,
                     const std::string& strategy) {
  const std::optional<Color> own = sweep.color(pen.theme, strategy);
  const Color color = own.value_or(with_alpha(pen.theme.copy, 0.45));
  LineItem line{{}, color, own ? 2.0F : 1.0F, false, false, -1};
  const auto finish = [&] {
    if (line.points.size() > 1) pen.scene.add(line);
    line.points.clear();
  };
  for (const size_t p : panel.points) {
    const SweepPoint& point = sweep.point(p);
    const auto time = std::find_if(point.ranking.begin(), point.ranking.end(),
                                   [&](const StrategyTime& t) { return t.strategy == strategy; });
    if (time == point.ranking.end()) {
      finish();
      continue;
    }
    const Point at{f.x.x[sweep.value_of(p)], f.y.at(time->priced_s())};
    line.points.push_back(at);
    if (own) pen.scene.add(CircleItem{at, pen.px(2.5F), color, color, 0, -1});
  }
  finish();
}

// The winner of every point is its hit target; where it changes there is a dashed line.
void draw_winners(Pen& pen, const Sweep& sweep, const CrossoverPanelPoints& panel, const PanelFrame& f) {
  const std::string* before = nullptr;
  size_t last = 0;
  for (const size_t p : panel.points) {
    const SweepPoint& point = sweep.point(p);
    const size_t value = sweep.value_of(p);
    const bool next = before != nullptr && value == last + 1;
    if (!point.ranking.empty() && next && *before != point.ranking[0].strategy) {
      const float at = f.x.edges[value];
      pen.scene.add(
          LineItem{{{at, f.plot.y}, {at, f.plot.bottom()}}, pen.theme.critical, 1, true, false, -1});
    }
    before = point.ranking.empty() ? nullptr : &point.ranking[0].strategy;
    last = value;
    if (point.ranking.empty()) continue;
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(p);
    const bool marked = sweep.selection.selected == item || sweep.selection.hovered == item;
    const Color fill = sweep.color(pen.theme, point.ranking[0].strategy).value_or(pen.theme.copy);
    const Point at{f.x.x[value], f.y.at(point.ranking[0].priced_s())};
    pen.scene.add(CircleItem{at, pen.px(5), fill, marked ? pen.theme.selection : pen.theme.text,
                             marked ? 3.0F : 1.0F, pen.id(item)});
  }
}

// Cells of one winner in a row carry its name once.
void draw_strip(Pen& pen, const Sweep& sweep, const CrossoverPanelPoints& panel, const PanelFrame& f) {
  const float y = f.plot.bottom() + pen.px(24), height = pen.px(18);
  const auto cell = [&](size_t p) {
    const size_t value = sweep.value_of(p);
    return Rect{f.x.edges[value], y, f.x.edges[value + 1] - f.x.edges[value], height};
  };
  for (const size_t p : panel.points) {
    const SweepPoint& point = sweep.point(p);
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(p);
    const int32_t id = pen.id(item);
    const bool none = point.ranking.empty();
    const Color fill =
        none ? pen.theme.panel : sweep.color(pen.theme, point.ranking[0].strategy).value_or(pen.theme.copy);
    pen.scene.add(RectItem{cell(p), fill, pen.theme.background, 0, none ? Pattern::stripes : Pattern::none,
                           pen.theme.rule, 0, id});
    pen.accessible(cell(p), id, spoken_point(sweep, p));
  }
  for (size_t i = 0; i < panel.points.size();) {
    const SweepPoint& first = sweep.point(panel.points[i]);
    size_t end = i + 1;
    const auto winner = [&](size_t at) {
      const auto& ranking = sweep.point(panel.points[at]).ranking;
      return ranking.empty() ? std::string() : ranking[0].strategy;
    };
    while (end < panel.points.size() && winner(end) == winner(i)) ++end;
    Rect span = cell(panel.points[i]);
    span.w = cell(panel.points[end - 1]).right() - span.x;
    const Color under =
        first.ranking.empty() ? pen.theme.panel : sweep.color(pen.theme, winner(i)).value_or(pen.theme.copy);
    pen.outline(span, pen.theme.background, 1);
    const std::string text = pen.elided(first.ranking.empty() ? said("nothing can run") : winner(i),
                                        span.w - pen.px(8), 0.85F, Face::bold);
    if (!text.empty()) {
      pen.text({span.x + span.w / 2, span.y + span.h / 2}, text,
               {text_on(pen.theme, under), 0.85F, Align::center, Face::bold});
    }
    i = end;
  }
}

void draw_panel(Pen& pen, const Sweep& sweep, const CrossoverPanelPoints& panel, const Rect& box) {
  const float head = panel.title.empty() ? pen.px(6) : pen.px(22);
  PanelFrame f;
  f.plot = {box.x + pen.px(70), box.y + head, std::max(1.0F, box.w - pen.px(86)),
            std::max(1.0F, box.h - head - pen.px(48))};
  f.x = value_axis(sweep.table.axes[sweep.along], f.plot.x, f.plot.w);
  f.y = plot_axis(sweep.fast, sweep.slow, f.plot.bottom(), -f.plot.h);
  if (!panel.title.empty()) {
    pen.text({f.plot.x, box.y + pen.px(10)}, pen.elided(panel.title, f.plot.w, 0.9F, Face::bold),
             {pen.theme.text, 0.9F, Align::left, Face::bold});
  }
  draw_panel_axes(pen, sweep, f);
  const std::vector<std::string> all = strategies_in(sweep, panel);
  pen.scene.push_clip(f.plot);
  for (const bool own : {false, true}) {
    for (const std::string& strategy : all) {
      if (sweep.color(pen.theme, strategy).has_value() == own)
        draw_time_curve(pen, sweep, panel, f, strategy);
    }
  }
  pen.scene.pop_clip();
  draw_winners(pen, sweep, panel, f);
  draw_strip(pen, sweep, panel, f);
}

Sweep read_sweep(const CrossoverTable& table, const Selection& selection) {
  Sweep sweep{table, selection, main_axis(table), told_strategies(table, kToldStrategies)};
  for (const SweepPoint& point : table.points) {
    for (const StrategyTime& time : point.ranking) {
      const bool told = std::find(sweep.told.begin(), sweep.told.end(), time.strategy) != sweep.told.end();
      sweep.fast = std::min(sweep.fast, std::max(time.priced_s(), 1e-12));
      // Hopeless strategies may leave the picture at the top, those with a colour not.
      if (told) sweep.slow = std::max(sweep.slow, time.priced_s());
    }
  }
  return sweep;
}

}  // namespace

Scene layout_crossover(const CrossoverTable& table, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const Sweep sweep = table.axes.empty() ? Sweep{table, selection, 0, {}} : read_sweep(table, selection);
  if (sweep.told.empty()) {
    pen.empty_state(said("Crossovers show who wins where"), said("No point of the sweep could run."));
    return scene;
  }
  const std::vector<CrossoverPanelPoints> panels = panels_of(table, sweep.along);
  const float legend = std::min(pen.px(190), canvas.width * 0.3F), top = pen.px(44);
  const Rect room{0, top, canvas.width - legend, std::max(1.0F, canvas.height - top - pen.px(22))};
  const auto fits = [](float length, float least) {
    return std::max<size_t>(1, static_cast<size_t>(length / least));
  };
  const size_t columns = std::min(fits(room.w, pen.px(kPanelWidth)), panels.size());
  const size_t rows = std::min(fits(room.h, pen.px(kPanelHeight)), (panels.size() + columns - 1) / columns);
  const size_t shown = std::min(panels.size(), columns * rows);
  pen.text({pen.px(12), pen.px(14)},
           pen.elided(table.title.empty() ? said("time of each strategy") : table.title,
                      canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  std::string note = said("time with resharding against ") + table.axes[sweep.along].name +
                     said("; the strip names the winner");
  if (!table.complete) note = said("not all points are done · ") + note;
  if (shown < panels.size()) {
    note += say(" · {} of {} panels fit, all points are in the table", shown, panels.size());
  }
  pen.text({pen.px(12), pen.px(31)}, pen.elided(note, canvas.width - pen.px(24)),
           {pen.theme.muted_text, 1, Align::left});
  const float width = room.w / static_cast<float>(columns), height = room.h / static_cast<float>(rows);
  for (size_t i = 0; i < shown; ++i) {
    draw_panel(pen, sweep, panels[i],
               {room.x + width * static_cast<float>(i % columns),
                room.y + height * static_cast<float>(i / columns), width, height});
  }
  pen.text({room.w / 2, canvas.height - pen.px(11)}, table.axes[sweep.along].name,
           {pen.theme.text, 1, Align::center});
  std::vector<EndLabel> labels;
  for (size_t i = 0; i < sweep.told.size(); ++i) {
    labels.push_back({top + pen.px(16) * static_cast<float>(i + 1), sweep.told[i],
                      *sweep.color(pen.theme, sweep.told[i])});
  }
  const size_t others = strategies_of(table).size() - sweep.told.size();
  if (others > 0) {
    labels.push_back({top + pen.px(16) * static_cast<float>(labels.size() + 1), counted(others, "other"),
                      with_alpha(pen.theme.copy, 0.45)});
  }
  draw_end_labels(pen, std::move(labels), room.right() + pen.px(4), canvas.width - pen.px(6),
                  top + pen.px(10), canvas.height);
  return scene;
}

}  // namespace shardscope::inline views
