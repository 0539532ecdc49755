// SPDX-License-Identifier: Apache-2.0
// What the tuner found: time against peak memory, or bars where memory is not known.
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"
#include "views/scene/core/plot_axis.h"

namespace shardscope::inline views {
namespace {

// An HBM limit further than this above the largest candidate is told in words: as a line it would press all
// candidates to the foot.
constexpr double kLimitInSight = 16;

std::string shape_text(const Mesh& mesh) {
  std::string out;
  for (const auto& axis : mesh.axes()) out += (out.empty() ? "" : "×") + std::to_string(axis.size);
  return out;
}

ItemId candidate_item(size_t place) {
  ItemId item;
  item.kind = ItemId::Kind::candidate;
  item.index = static_cast<int32_t>(place);
  return item;
}

std::vector<size_t> fastest_first(const TuneResult& result) {
  std::vector<size_t> order(result.candidates.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return result.candidates[a].total_s < result.candidates[b].total_s;
  });
  return order;
}

std::string spoken(const TuneResult& result, size_t place) {
  const TuneCandidate& c = result.candidates[place];
  std::string out = fmt::format("{}, {}", c.mesh.text(), format_seconds(c.total_s));
  if (c.peak_bytes > 0) out += said(", peak ") + format_bytes(static_cast<double>(c.peak_bytes));
  if (static_cast<int32_t>(place) == result.best) out += said(", chosen");
  if (c.front) out += said(", on the best front");
  if (!c.fits) out += said(", does not fit");
  return out;
}

void draw_titles(Pen& pen, const TuneResult& result, const std::string& what, const std::string& more) {
  const float room = pen.canvas.width - pen.px(24);
  const std::string title =
      say("{} on {}: {}", result.model.title.empty() ? result.model.name : result.model.title,
          grouped_count(result.chips, "chip"), what);
  pen.text({pen.px(12), pen.px(14)}, pen.elided(title, room, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  const std::string unfinished = result.complete ? "" : said("not all meshes are done · ");
  pen.text({pen.px(12), pen.px(32)}, pen.elided(unfinished + more, room),
           {pen.theme.muted_text, 1, Align::left});
}

struct TunerAxes {
  Rect plot;
  PlotAxis x, y;
};

TunerAxes tuner_axes(const Pen& pen, const TuneResult& result) {
  double fast = 1e300, slow = 0, small = 1e300, large = 0;
  for (const TuneCandidate& c : result.candidates) {
    fast = std::min(fast, c.total_s);
    slow = std::max(slow, c.total_s);
    small = std::min(small, static_cast<double>(c.peak_bytes));
    large = std::max(large, static_cast<double>(c.peak_bytes));
  }
  if (result.hbm_bytes && *result.hbm_bytes < large * kLimitInSight) {
    large = std::max(large, *result.hbm_bytes);
    small = std::min(small, *result.hbm_bytes);
  }
  TunerAxes out;
  const float left = pen.px(78), top = pen.px(52);
  out.plot = {left, top, std::max(1.0F, pen.canvas.width - left - pen.px(24)),
              std::max(1.0F, pen.canvas.height - top - pen.px(46))};
  out.x = plot_axis(std::max(fast, 1e-12), std::max(slow, 1e-12), out.plot.x, out.plot.w);
  out.y = plot_axis(std::max(small, 1.0), std::max(large, 1.0), out.plot.bottom(), -out.plot.h);
  return out;
}

void draw_tuner_axes(Pen& pen, const TunerAxes& a) {
  const TextStyle label{pen.theme.muted_text, 0.85F, Align::center};
  float free_from = 0;
  for (const double value : plot_ticks(a.x, 8)) {
    const float at = a.x.at(value);
    pen.line({at, a.plot.y}, {at, a.plot.bottom()}, pen.theme.rule);
    const std::string text = format_seconds(value);
    const float half = pen.width(text, 0.85F) / 2;
    if (at - half < free_from || at + half > pen.canvas.width) continue;
    free_from = at + half + pen.px(8);
    pen.text({at, a.plot.bottom() + pen.px(12)}, text, label);
  }
  for (const double value : plot_ticks(a.y, 6, true)) {
    const float at = a.y.at(value);
    pen.line({a.plot.x, at}, {a.plot.right(), at}, pen.theme.rule);
    pen.text({a.plot.x - pen.px(6), at}, format_bytes(value), {pen.theme.muted_text, 0.85F, Align::right});
  }
  pen.text({a.plot.x + a.plot.w / 2, a.plot.bottom() + pen.px(30)},
           pen.elided(said("time of all layers"), a.plot.w), {pen.theme.text, 1, Align::center});
}

void draw_front(Pen& pen, const TuneResult& result, const TunerAxes& a) {
  LineItem front{{}, pen.theme.critical, 1.5F, false, false, -1};
  for (const size_t place : fastest_first(result)) {
    const TuneCandidate& c = result.candidates[place];
    if (c.front) front.points.push_back({a.x.at(c.total_s), a.y.at(static_cast<double>(c.peak_bytes))});
  }
  if (front.points.size() > 1) pen.scene.add(front);
}

void draw_limit(Pen& pen, const TunerAxes& a, double bytes) {
  const float at = a.y.at(bytes);
  pen.scene.add(LineItem{{{a.plot.x, at}, {a.plot.right(), at}}, pen.theme.warning, 1.5F, true, false, -1});
  const std::string words = "HBM " + format_bytes(bytes);
  const float above = at - pen.px(10) > a.plot.y ? at - pen.px(10) : at + pen.px(10);
  pen.text({a.plot.right() - pen.px(4), above}, words, {pen.theme.warning, 0.85F, Align::right});
}

// Filled: on the front; open: beaten; open in the warning colour: does not fit.
void draw_candidate(Pen& pen, const TuneResult& result, size_t place, const TunerAxes& a,
                    const Selection& selection) {
  const TuneCandidate& c = result.candidates[place];
  const ItemId item = candidate_item(place);
  const int32_t id = pen.id(item);
  const Point at{a.x.at(c.total_s), a.y.at(static_cast<double>(c.peak_bytes))};
  const bool best = static_cast<int32_t>(place) == result.best;
  const bool marked = selection.selected == item || selection.hovered == item;
  const Color edge = !c.fits ? pen.theme.warning : c.front ? pen.theme.text : pen.theme.copy;
  const Color fill = c.front && c.fits ? axis_color(pen.theme, best ? 1 : 0, 0) : pen.theme.background;
  pen.scene.add(CircleItem{at, pen.px(best ? 7 : 5), fill, marked ? pen.theme.selection : edge,
                           marked ? 3.0F : 1.5F, id});
  pen.accessible({at.x - 6, at.y - 6, 12, 12}, id, spoken(result, place));
}

// Names of the chosen one, the front, then the others, as long as they do not cover one another.
void draw_names(Pen& pen, const TuneResult& result, const TunerAxes& a) {
  std::vector<Rect> taken;
  for (const TuneCandidate& c : result.candidates) {
    const Point at{a.x.at(c.total_s), a.y.at(static_cast<double>(c.peak_bytes))};
    taken.push_back({at.x - pen.px(7), at.y - pen.px(7), pen.px(14), pen.px(14)});
  }
  const auto name_of = [&](size_t place) {
    const TuneCandidate& c = result.candidates[place];
    const bool best = static_cast<int32_t>(place) == result.best;
    std::string words = shape_text(c.mesh);
    if (best) words += said(" chosen");
    if (best || fastest_alike(result, place) != nullptr) words += ", " + format_seconds(c.total_s);
    if (!c.fits) words += said(" does not fit");
    const float width = pen.width(words, 0.85F, bold_if(best)), height = pen.px(14);
    const Point at{a.x.at(c.total_s), a.y.at(static_cast<double>(c.peak_bytes))};
    for (const float shift : {0.0F, -14.0F, 14.0F}) {
      for (const bool right : {true, false}) {
        const float x = right ? at.x + pen.px(10) : at.x - pen.px(10) - width;
        const Rect box{x, at.y + pen.px(shift) - height / 2, width, height};
        if (box.x < a.plot.x || box.right() > pen.canvas.width || box.y < a.plot.y ||
            box.bottom() > a.plot.bottom())
          continue;
        const bool free = std::none_of(taken.begin(), taken.end(), [&](const Rect& r) {
          return box.x < r.right() && r.x < box.right() && box.y < r.bottom() && r.y < box.bottom();
        });
        if (!free) continue;
        taken.push_back(box);
        pen.text({box.x, at.y + pen.px(shift)}, words,
                 {c.front ? pen.theme.text : pen.theme.muted_text, 0.85F, Align::left, bold_if(best)});
        return;
      }
    }
  };
  if (result.best >= 0) name_of(static_cast<size_t>(result.best));
  for (const bool front : {true, false}) {
    for (const size_t place : fastest_first(result)) {
      if (result.candidates[place].front == front && static_cast<int32_t>(place) != result.best)
        name_of(place);
    }
  }
}

// Bars of traffic, latency and pipeline, fastest first.
void draw_bars(Pen& pen, const TuneResult& result, const Selection& selection) {
  const std::vector<size_t> order = fastest_first(result);
  const float left = pen.px(90), top = pen.px(52), right = pen.px(90);
  const float row = std::min(pen.px(26), (pen.canvas.height - top - pen.px(36)) /
                                             static_cast<float>(std::max<size_t>(1, order.size())));
  if (row < 2) return;
  double slow = 1e-12;
  for (const TuneCandidate& c : result.candidates)
    slow = std::max({slow, c.total_s, c.traffic_s + c.latency_s + c.pipeline_s});
  const double per_px = slow / std::max(1.0F, pen.canvas.width - left - right);
  struct Part {
    const char* name;
    double TuneCandidate::*seconds;
    Color color;
  };
  const Part parts[] = {{"traffic", &TuneCandidate::traffic_s, axis_color(pen.theme, 0, 0)},
                        {"latency", &TuneCandidate::latency_s, axis_color(pen.theme, 1, 0)},
                        {"pipeline", &TuneCandidate::pipeline_s, pen.theme.compute}};
  float y = top;
  for (const size_t place : order) {
    const TuneCandidate& c = result.candidates[place];
    const ItemId item = candidate_item(place);
    const int32_t id = pen.id(item);
    const bool best = static_cast<int32_t>(place) == result.best;
    const Rect line{left, y + row * 0.12F, std::max(1.0F, pen.canvas.width - left - right), row * 0.76F};
    float x = left;
    for (const Part& part : parts) {
      const float w = static_cast<float>(c.*part.seconds / per_px);
      if (w <= 0) continue;
      pen.rect({x, line.y, w, line.h}, part.color, id);
      x += w;
    }
    if (selection.selected == item || selection.hovered == item)
      pen.outline(line, pen.theme.selection, 2, id);
    if (row >= pen.px(13)) {
      pen.text({left - pen.px(8), y + row / 2}, shape_text(c.mesh) + (best ? " ●" : ""),
               {pen.theme.text, 0.9F, Align::right, bold_if(best)});
      pen.text({x + pen.px(6), y + row / 2}, format_seconds(c.total_s),
               {best ? pen.theme.text : pen.theme.muted_text, 0.9F, Align::left, bold_if(best)});
    }
    pen.accessible(line, id, spoken(result, place));
    y += row;
  }
  float x = left;
  for (const Part& part : parts) {
    pen.rect({x, y + pen.px(12), pen.px(10), pen.px(10)}, part.color);
    pen.text({x + pen.px(15), y + pen.px(17)}, part.name, {pen.theme.muted_text, 0.85F, Align::left});
    x += pen.px(26) + pen.width(part.name, 0.85F);
  }
}

}  // namespace

Scene layout_tuner(const TuneResult& result, const Selection& selection, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  if (result.candidates.empty()) {
    pen.empty_state(said("The tuner shows mesh shapes by time and peak memory"),
                    said("No mesh is done yet."));
    return scene;
  }
  const bool memory = std::any_of(result.candidates.begin(), result.candidates.end(),
                                  [](const TuneCandidate& c) { return c.peak_bytes > 0; });
  if (!memory) {
    draw_titles(pen, result, said("time of each mesh"),
                said("the published costs, which say nothing of memory; ● is the chosen mesh"));
    draw_bars(pen, result, selection);
    return scene;
  }
  const TunerAxes axes = tuner_axes(pen, result);
  const double hbm = result.hbm_bytes.value_or(0);
  const bool in_sight = hbm >= axes.y.from && hbm <= axes.y.to && hbm > 0;
  std::string more =
      said("peak memory of a chip against time; the line joins what nothing else beats in both");
  if (!in_sight && hbm > 0) more += said(" · all far below the ") + format_bytes(hbm) + said(" of HBM");
  if (hbm <= 0) more += said(" · the chip's memory is not published");
  draw_titles(pen, result, said("time against memory"), more);
  draw_tuner_axes(pen, axes);
  if (in_sight) draw_limit(pen, axes, hbm);
  draw_front(pen, result, axes);
  for (size_t i = 0; i < result.candidates.size(); ++i) {
    if (!result.candidates[i].front) draw_candidate(pen, result, i, axes, selection);
  }
  for (size_t i = 0; i < result.candidates.size(); ++i) {
    if (result.candidates[i].front) draw_candidate(pen, result, i, axes, selection);
  }
  draw_names(pen, result, axes);
  return scene;
}

}  // namespace shardscope::inline views
