// SPDX-License-Identifier: Apache-2.0
// The steps of a loop: above what each gives, the loss first, below how long each took here.
#include "engine/run/steps.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/end_labels.h"
#include "views/scene/core/legend.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/plot_axis.h"
#include "views/scene/core/ticks.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostCurves = 8;
constexpr size_t kMostPoints = 2'000;  // of a curve: more are no more to be seen
constexpr size_t kMostDots = 64;

// The place of a step from left to right, the same in both pictures.
struct StepAxis {
  float left = 0, width = 1;
  size_t count = 1;
  float at(size_t step) const { return left + slot() * (static_cast<float>(step) + 0.5F); }
  float slot() const { return width / static_cast<float>(count); }
  size_t stride() const { return (count + kMostPoints - 1) / kMostPoints; }
};

// Of values that may be 0 or less, where a logarithm says nothing.
PlotAxis step_values(const RunSteps& steps, const Rect& plot) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const RunStep& step : steps.steps)
    for (size_t k = 0; k < std::min(step.values.size(), kMostCurves); ++k) {
      if (!std::isfinite(step.values[k])) continue;
      low = std::min(low, step.values[k]);
      high = std::max(high, step.values[k]);
    }
  if (low > high) low = 0, high = 1;
  if (low > 0) return plot_axis(low, high, plot.bottom(), -plot.h);
  const double room = high > low ? (high - low) * 0.08 : 1;
  return {false, low - room, high + room, plot.bottom(), -plot.h};
}

void draw_step_frame(Pen& pen, const Rect& plot) {
  pen.line({plot.x, plot.y}, {plot.x, plot.bottom()}, pen.theme.rule);
  pen.line({plot.x, plot.bottom()}, {plot.right(), plot.bottom()}, pen.theme.rule);
}

void draw_tick(Pen& pen, const Rect& plot, float y, const std::string& label) {
  if (y < plot.y || y > plot.bottom()) return;
  pen.line({plot.x, y}, {plot.right(), y}, with_alpha(pen.theme.rule, 0.6));
  pen.text({plot.x - pen.px(6), y}, label, {pen.theme.muted_text, 0.85F, Align::right});
}

// A curve is broken where a value is no number.
void draw_curve(Pen& pen, const RunSteps& steps, const StepAxis& x, const PlotAxis& y, size_t which,
                Color color) {
  LineItem line{{}, color, 1.5F, false, false, -1};
  const auto end_line = [&] {
    if (line.points.size() > 1) pen.scene.add(line);
    line.points.clear();
  };
  const bool dots = steps.steps.size() <= kMostDots;
  for (size_t k = 0; k < steps.steps.size(); k += x.stride()) {
    const double value = steps.steps[k].values[which];
    if (!std::isfinite(value)) {
      end_line();
      continue;
    }
    const Point at{x.at(k), y.at(value)};
    line.points.push_back(at);
    if (!dots) continue;
    pen.scene.add(CircleItem{at, pen.px(2.5F), color, pen.theme.background, 1, -1});
    pen.accessible({at.x - 4, at.y - 4, 8, 8}, -1,
                   say("step {}: {} {:.6g}", steps.steps[k].number, steps.values[which], value));
  }
  end_line();
}

void draw_values(Pen& pen, const RunSteps& steps, const StepAxis& x, const Rect& plot) {
  const PlotAxis y = step_values(steps, plot);
  draw_step_frame(pen, plot);
  for (const double tick : plot_ticks(y, 5)) draw_tick(pen, plot, y.at(tick), fmt::format("{:.4g}", tick));
  std::vector<EndLabel> labels;
  const size_t curves = std::min(steps.values.size(), kMostCurves);
  for (size_t k = 0; k < curves; ++k) {
    const Color color = identity_color(pen.theme, static_cast<int>(k), 8);
    draw_curve(pen, steps, x, y, k, color);
    const double last = steps.steps.back().values[k];
    const float end = std::isfinite(last) ? y.at(last) : plot.y + plot.h / 2;
    labels.push_back({end, fmt::format("{} {:.4g}", steps.values[k], last), color});
  }
  draw_end_labels(pen, std::move(labels), plot.right() + pen.px(8), pen.canvas.width - pen.px(6), plot.y,
                  plot.bottom());
}

RectItem time_bar(const Pen& pen, const Rect& at, bool warmup) {
  RectItem bar{at, warmup ? with_alpha(pen.theme.compute, 0.35) : pen.theme.compute};
  if (warmup) bar.pattern = Pattern::stripes, bar.pattern_color = pen.theme.muted_text;
  return bar;
}

void draw_times(Pen& pen, const RunSteps& steps, const StepAxis& x, const Rect& plot) {
  double most = 0;
  for (const RunStep& step : steps.steps) most = std::max(most, step.wall_s.value_or(0));
  const PlotAxis y{false, 0, most * 1.1, plot.bottom(), -plot.h};
  draw_step_frame(pen, plot);
  for (const double tick : plot_ticks(y, 4)) draw_tick(pen, plot, y.at(tick), format_seconds(tick));
  const float gap = x.slot() > 4 ? 1.0F : 0.0F;
  for (size_t k = 0; k < steps.steps.size(); k += x.stride()) {
    const RunStep& step = steps.steps[k];
    const float top = y.at(step.wall_s.value_or(0));
    const float width = std::max(1.0F, x.slot() * static_cast<float>(x.stride()) - gap);
    const Rect at{x.at(k) - x.slot() / 2, top, width, plot.bottom() - top};
    pen.scene.add(time_bar(pen, at, step.warmup));
    pen.mark(step.warmup ? Mark::absent : Mark::measured, at);
    if (steps.steps.size() > kMostDots) continue;
    pen.accessible(at, -1,
                   say("step {}: {}", step.number, format_seconds(step.wall_s.value_or(0))) +
                       (step.warmup ? said(", warm-up") : std::string()));
  }
}

void draw_step_numbers(Pen& pen, const RunSteps& steps, const StepAxis& x, float y) {
  float free_from = 0;
  const auto every = static_cast<size_t>(std::max(1.0, nice_step(static_cast<double>(x.count), 10)));
  for (size_t k = 0; k < steps.steps.size(); k += every) {
    const std::string label = std::to_string(steps.steps[k].number);
    const float half = pen.width(label, 0.85F) / 2;
    if (x.at(k) - half < free_from) continue;
    free_from = x.at(k) + half + pen.px(8);
    pen.text({x.at(k), y}, label, {pen.theme.muted_text, 0.85F, Align::center});
  }
}

std::string time_words(const RunSteps& steps) {
  const auto s = statistics_of(steps, StepClock::measured);
  if (!s) return "";
  return say("Measured here, a step: median {}, mean {}, spread {}, {} to {}", format_seconds(s->median),
             format_seconds(s->mean), format_seconds(s->stdev), format_seconds(s->min),
             format_seconds(s->max));
}

void draw_head(Pen& pen, const RunSteps& steps, float width) {
  const auto warmup = std::ranges::count(steps.steps, true, &RunStep::warmup);
  std::string title = say("{} of {}", counted(steps.steps.size(), "step"), steps.marker);
  if (warmup > 0) title += say(", {} of them warm-up", warmup);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, width, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const std::string below = steps.executed()      ? time_words(steps)
                            : steps.notes.empty() ? ""
                                                  : steps.notes.back();
  pen.text({pen.px(12), pen.px(32)}, pen.elided(below, width), {pen.theme.muted_text, 1, Align::left});
}

}  // namespace

Scene layout_steps(const ViewInput& input, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const std::string what =
      said("Steps shows what each step of a loop gives, the loss first, and how long it took");
  if (!input.run.steps) {
    pen.empty_state(what, said("This run was carried out once: ask for several steps."));
    return scene;
  }
  const RunSteps& steps = *input.run.steps;
  if (!steps.executed()) {
    pen.empty_state(what, steps.notes.empty() ? said("The steps were not executed.") : steps.notes.back());
    return scene;
  }
  const float width = canvas.width - pen.px(24), top = pen.px(54), bottom = pen.px(62);
  const float left = pen.px(66),
              right = steps.values.empty() ? pen.px(16) : std::min(pen.px(170), width * 0.3F);
  const float height = std::max(2.0F, canvas.height - top - bottom);
  const bool both = !steps.values.empty();
  const float upper = both ? height * 0.62F : 0, between = both ? pen.px(20) : 0;
  const StepAxis x{left, std::max(1.0F, canvas.width - left - right), steps.steps.size()};
  draw_head(pen, steps, width);
  if (both) draw_values(pen, steps, x, {left, top, x.width, upper});
  const Rect below{left, top + upper + between, x.width, std::max(1.0F, height - upper - between)};
  draw_times(pen, steps, x, below);
  draw_step_numbers(pen, steps, x, below.bottom() + pen.px(12));
  const Rect line{left, canvas.height - pen.px(26), width - left, pen.px(18)};
  draw_legend_line(
      pen,
      marked(pen, {{Mark::measured, 0, {said("time of a step, measured here")}, time_bar(pen, {}, false), {}},
                   {Mark::absent,
                    0,
                    {said("warm-up, which statistics leave out"), said("warm-up")},
                    time_bar(pen, {}, true),
                    {}}}),
      line);
  return scene;
}

}  // namespace shardscope::inline views
