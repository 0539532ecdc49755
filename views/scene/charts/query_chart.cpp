// SPDX-License-Identifier: Apache-2.0
// A bar, line or scatter chart of what a query answers.
#include "views/scene/charts/query_chart.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/units.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/ticks.h"

namespace shardscope::inline views {
namespace {

// A linear axis that holds its values; of bars also 0.
struct ChartAxis {
  double from = 0, to = 1;
  float start = 0, length = 1;
  float at(double value) const { return start + static_cast<float>((value - from) / (to - from)) * length; }
  std::vector<double> ticks(int most) const {
    const double step = nice_step(to - from, std::max(1, most));
    std::vector<double> out;
    for (double i = std::ceil(from / step); i * step <= to; ++i) out.push_back(i * step);
    return out;
  }
};

ChartAxis axis_of(const std::vector<double>& values, bool with_zero, float start, float length) {
  double low = 1e300, high = -1e300;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) low = high = 0;
  if (with_zero || (low > 0 && low < 0.5 * high)) low = std::min(low, 0.0);
  if (with_zero) high = std::max(high, 0.0);
  const double room = high > low ? 0.06 * (high - low) : std::max(1.0, std::abs(high)) * 0.5;
  return {low < 0 || low > 0 ? low - room : low, high + room, start, length};
}

struct ChartFrame {
  const QueryChart& chart;
  const Selection& selection;
  Rect plot;
  ChartAxis x, y;
  float cell = 0;  // of a text on x

  bool side_by_side() const { return chart.x.empty() || chart.kind == QueryChart::Kind::bar; }
  float x_of(size_t row) const {
    return side_by_side() ? plot.x + cell * (static_cast<float>(row) + 0.5F) : x.at(chart.x[row]);
  }
};

std::string axis_title(const QueryChart::Axis& axis) {
  return axis.unit.empty() ? axis.title : fmt::format("{} [{}]", axis.title, axis.unit);
}

void draw_y(Pen& pen, const ChartFrame& f) {
  for (const double value : f.y.ticks(static_cast<int>(f.plot.h / pen.px(36)))) {
    const float at = f.y.at(value);
    pen.line({f.plot.x, at}, {f.plot.right(), at}, pen.theme.rule);
    pen.text({f.plot.x - pen.px(6), at}, value_words(value, f.chart.y_axis.unit),
             {pen.theme.muted_text, 0.85F, Align::right});
  }
}

void draw_x(Pen& pen, const ChartFrame& f) {
  const float y = f.plot.bottom() + pen.px(12);
  float free_from = 0;
  const auto label = [&](float at, const std::string& text) {
    const float half = pen.width(text, 0.85F) / 2;
    if (at - half < free_from || at + half > pen.canvas.width) return;
    free_from = at + half + pen.px(8);
    pen.text({at, y}, text, {pen.theme.muted_text, 0.85F, Align::center});
  };
  if (!f.side_by_side()) {
    for (const double value : f.x.ticks(static_cast<int>(f.plot.w / pen.px(80)))) {
      pen.line({f.x.at(value), f.plot.y}, {f.x.at(value), f.plot.bottom()}, pen.theme.rule);
      label(f.x.at(value), value_words(value, f.chart.x_axis.unit));
    }
    return;
  }
  for (size_t row = 0; row < f.chart.labels.size(); ++row)
    label(f.x_of(row), pen.elided(f.chart.labels[row], std::max(f.cell - pen.px(4), pen.px(64)), 0.85F));
}

std::string spoken(const QueryChart& chart, size_t row) {
  const std::string x = chart.x.empty() ? chart.labels[row] : value_words(chart.x[row], chart.x_axis.unit);
  return fmt::format("{} {}: {} {}", chart.x_axis.title, x, chart.y_axis.title,
                     value_words(chart.y[row], chart.y_axis.unit));
}

void draw_marks(Pen& pen, const ChartFrame& f) {
  const Color color = identity_color(pen.theme, 0, 8);
  LineItem line{{}, color, 1.5F, false, false, -1};
  const auto end_line = [&] {
    if (line.points.size() > 1) pen.scene.add(line);
    line.points.clear();
  };
  for (size_t row = 0; row < f.chart.y.size(); ++row) {
    if (!std::isfinite(f.chart.y[row])) {
      end_line();
      continue;
    }
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(row);
    const bool marked = f.selection.selected == item || f.selection.hovered == item;
    const Color edge = marked ? pen.theme.selection : pen.theme.background;
    const int32_t id = pen.id(item);
    const Point at{f.x_of(row), f.y.at(f.chart.y[row])};
    Rect box{at.x - pen.px(4), at.y - pen.px(4), pen.px(8), pen.px(8)};
    if (f.chart.kind == QueryChart::Kind::bar) {
      const float zero = f.y.at(0), width = std::max(1.0F, f.cell * 0.7F);
      box = {at.x - width / 2, std::min(at.y, zero), width, std::max(1.0F, std::abs(zero - at.y))};
      pen.rect(box, color, id);
      if (marked) pen.outline(box, edge, 2);
    } else {
      if (f.chart.kind == QueryChart::Kind::line) line.points.push_back(at);
      pen.scene.add(CircleItem{at, pen.px(3.5F), color, edge, marked ? 2.0F : 1.0F, id});
    }
    pen.accessible(box, id, spoken(f.chart, row));
  }
  end_line();
}

}  // namespace

std::string value_words(double value, const std::string& unit) {
  if (unit == "s") return value < 0 ? "−" + format_seconds(-value) : format_seconds(value);
  if (unit == "ps") return value_words(value * 1e-12, "s");
  if (unit == "B") return value < 0 ? "−" + format_bytes(-value) : format_bytes(value);
  return fmt::format("{:.6g}{}", value, unit.empty() ? "" : " " + unit);
}

Scene layout_query_chart(const QueryChart& chart, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (std::ranges::none_of(chart.y, [](double v) { return std::isfinite(v); })) {
    pen.empty_state("A chart shows two columns of the answer",
                    chart.y.empty() ? "Ask something first." : "The column for y holds no number.");
    return scene;
  }
  const bool bars = chart.kind == QueryChart::Kind::bar;
  ChartFrame f{chart, selection, {}, {}, {}, 0};
  f.plot = {pen.px(84), pen.px(30), std::max(1.0F, canvas.width - pen.px(100)),
            std::max(1.0F, canvas.height - pen.px(78))};
  f.cell = f.plot.w / static_cast<float>(std::max<size_t>(1, chart.y.size()));
  f.y = axis_of(chart.y, bars, f.plot.bottom(), -f.plot.h);
  if (!f.side_by_side()) f.x = axis_of(chart.x, false, f.plot.x, f.plot.w);
  draw_y(pen, f);
  draw_x(pen, f);
  draw_marks(pen, f);
  pen.text({f.plot.x, pen.px(14)}, pen.elided(axis_title(chart.y_axis), f.plot.w),
           {pen.theme.text, 1, Align::left});
  pen.text({f.plot.x + f.plot.w / 2, canvas.height - pen.px(14)},
           pen.elided(axis_title(chart.x_axis), f.plot.w), {pen.theme.text, 1, Align::center});
  return scene;
}

}  // namespace shardscope::inline views
