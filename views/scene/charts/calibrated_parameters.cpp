// SPDX-License-Identifier: Apache-2.0
// The fitted numbers of a chip with their intervals, and what calibrations say in words.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/charts/calibration.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/plot_axis.h"

namespace shardscope::inline views {
namespace {

constexpr float kParameterRow = 22;

// One number: its name, its interval around the middle, its value.
struct ParameterRow {
  Rect row;
  PlotAxis x;  // of parts of the value
  float names, values;
};

void draw_parameter(Pen& pen, const CalibratedParameter& p, const ParameterRow& place, size_t i,
                    const Selection& selection) {
  const auto& [row, x, names, values] = place;
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = static_cast<int32_t>(i);
  const int32_t id = pen.id(item);
  const bool marked = selection.selected == item || selection.hovered == item;
  pen.rect(row, marked ? with_alpha(pen.theme.selection, 0.18) : with_alpha(pen.theme.panel, 0.01), id);
  const float mid = row.y + row.h / 2;
  pen.text({pen.px(12), mid}, pen.elided(p.name, names, 0.9F, Face::mono),
           {p.identified ? pen.theme.text : pen.theme.muted_text, 0.9F, Align::left, Face::mono});
  const auto part = [&scale = x, &p](double value) {
    return scale.at(std::clamp(value / p.value, 0.5, 2.0));
  };
  if (p.value > 0 && p.identified) {
    pen.line({part(p.low), mid}, {part(p.high), mid}, pen.theme.compute, 3);
    pen.scene.add(CircleItem{{x.at(1), mid}, pen.px(4), pen.theme.compute, pen.theme.compute, 0, -1});
  }
  if (p.value > 0 && p.before > 0)
    pen.line({part(p.before), row.y + pen.px(4)}, {part(p.before), row.bottom() - pen.px(4)}, pen.theme.text,
             2);
  const std::string text = value_text(p, p.value) + "   " + interval_text(p);
  pen.text({row.w - pen.px(12), mid}, pen.elided(text, values, 0.9F),
           {p.identified ? pen.theme.text : pen.theme.muted_text, 0.9F, Align::right});
  pen.accessible(row, id,
                 say("{}: {}, {}; before {}; {}", p.name, value_text(p, p.value), interval_text(p),
                     value_text(p, p.before), counted(p.points, "point")));
}

}  // namespace

std::string deviation_text(double predicted_s, double measured_s) {
  const double off = predicted_s / measured_s - 1;
  const std::string percent = format_percent(std::abs(off));
  return off < 0 ? say("{} too short", percent) : say("{} too long", percent);
}

std::vector<std::string> words_of(const CalibratedPoint& point) {
  std::vector<std::string> out = {
      point.what,
      say("measured {}, predicted {}: {}", format_seconds(point.measured_s), format_seconds(point.after_s),
          deviation_text(point.after_s, point.measured_s)),
      say("before the fit {}: {}", format_seconds(point.before_s),
          deviation_text(point.before_s, point.measured_s)),
      point.held_out ? said("held out: the fit has not seen it") : said("the fit has seen it"),
      say("{}, {}", point.id, point.source)};
  if (!point.note.empty()) out.push_back(point.note);
  return out;
}

std::string value_text(const CalibratedParameter& parameter, double value) {
  if (parameter.unit == "s") return format_seconds(value);
  if (!parameter.unit.empty()) return format_rate(value, parameter.unit.c_str());
  return fmt::format("{:.3g}", value);
}

std::string interval_text(const CalibratedParameter& parameter) {
  if (!parameter.identified) return said("not identified");
  return value_text(parameter, parameter.low) + " – " + value_text(parameter, parameter.high);
}

Scene layout_calibrated_parameters(const Calibration& calibration, const Selection& selection,
                                   const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const auto& parameters = calibration.parameters;
  if (parameters.empty()) {
    pen.empty_state(said("Fitted numbers with their intervals"), said("Nothing was fitted."));
    return scene;
  }
  pen.text({pen.px(12), pen.px(14)},
           pen.elided(say("{}: fitted numbers, 95 % intervals as parts of the value; | is the preset's",
                          calibration.chip),
                      canvas.width - pen.px(24), 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const float names = std::min(pen.px(250), canvas.width * 0.36F),
              values = std::min(pen.px(230), canvas.width * 0.36F);
  const Rect plot{names + pen.px(16), pen.px(48), std::max(1.0F, canvas.width - names - values - pen.px(40)),
                  std::max(1.0F, canvas.height - pen.px(54))};
  const PlotAxis x{true, 0.5, 2, plot.x, plot.w};
  for (const auto& [part, label] :
       {std::pair(0.5, "÷2"), {0.75, "−25 %"}, {1.0, "value"}, {1.25, "+25 %"}, {2.0, "×2"}}) {
    pen.line({x.at(part), plot.y}, {x.at(part), plot.bottom()}, pen.theme.rule);
    pen.text({x.at(part), plot.y - pen.px(10)}, part == 1 ? said("value") : std::string(label),
             {pen.theme.muted_text, 0.8F, Align::center});
  }
  const float row_height = pen.px(kParameterRow);
  const auto fits = static_cast<size_t>(plot.h / row_height);
  const size_t shown = parameters.size() <= fits ? parameters.size() : (fits > 0 ? fits - 1 : 0);
  for (size_t i = 0; i < shown; ++i)
    draw_parameter(
        pen, parameters[i],
        {{0, plot.y + row_height * static_cast<float>(i), canvas.width, row_height}, x, names, values}, i,
        selection);
  if (shown < parameters.size())
    pen.text({pen.px(12), plot.y + row_height * (static_cast<float>(shown) + 0.5F)},
             say("{} more are in the table", parameters.size() - shown), {pen.theme.muted_text, 0.85F});
  return scene;
}

}  // namespace shardscope::inline views
