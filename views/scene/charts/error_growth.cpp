// SPDX-License-Identifier: Apache-2.0
// Error against length of a sum, both logarithmic: dots are measured, dashed lines are the laws.
#include "engine/study/error_growth.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "engine/base/say.h"
#include "engine/base/units.h"
#include "views/scene/core/end_labels.h"
#include "views/scene/core/log_axis.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

// Curves of one family that differ in the number of partial sums: the first and the last stand for it.
std::vector<const GrowthCurve*> shown_curves(const ErrorGrowth& growth) {
  std::map<std::string, std::vector<const GrowthCurve*>> families;
  std::vector<std::string> order;
  for (const GrowthCurve& c : growth.curves) {
    if (c.points.empty()) continue;
    auto& family = families[c.family];
    if (family.empty()) order.push_back(c.family);
    family.push_back(&c);
  }
  std::vector<const GrowthCurve*> out;
  for (const std::string& name : order) {
    const auto& family = families[name];
    out.push_back(family.front());
    const double low = family.front()->points.back().error, high = family.back()->points.back().error;
    if (family.size() > 1 && high > 1.2 * low) out.push_back(family.back());
  }
  return out;
}

struct GrowthAxes {
  Rect plot;
  LogAxis x, y;
};

void draw_axes(Pen& pen, const GrowthAxes& a, const std::set<int64_t>& ks) {
  float free_from = 0;
  for (const int64_t k : ks) {
    const float at = a.x.at(static_cast<double>(k));
    pen.line({at, a.plot.y}, {at, a.plot.bottom()}, pen.theme.rule);
    const std::string label = group_digits(k);
    const float half = pen.width(label, 0.85F) / 2;
    if (at - half < free_from) continue;
    free_from = at + half + pen.px(8);
    pen.text({at, a.plot.bottom() + pen.px(12)}, label, {pen.theme.muted_text, 0.85F, Align::center});
  }
  for (int e = static_cast<int>(a.y.from); e <= static_cast<int>(a.y.to); ++e) {
    const float at = a.y.at(std::pow(10.0, e));
    pen.line({a.plot.x, at}, {a.plot.right(), at}, pen.theme.rule);
    pen.text({a.plot.x - pen.px(6), at}, decade_label(e), {pen.theme.muted_text, 0.85F, Align::right});
  }
  pen.text({a.plot.x + a.plot.w / 2, a.plot.bottom() + pen.px(30)},
           pen.elided(said("terms of the sum, k"), a.plot.w), {pen.theme.text, 1, Align::center});
}

void draw_growth_curve(Pen& pen, const GrowthAxes& a, const GrowthCurve& curve, Color color) {
  LineItem law{{}, color, 1.5F, true, false, -1},
      measured{{}, with_alpha(color, 0.6), 1.5F, false, false, -1};
  for (const GrowthPoint& p : curve.points) {
    law.points.push_back({a.x.at(static_cast<double>(p.k)), a.y.at(p.law)});
    measured.points.push_back({a.x.at(static_cast<double>(p.k)), a.y.at(p.error)});
  }
  pen.scene.add(law);
  pen.scene.add(measured);
  for (size_t i = 0; i < curve.points.size(); ++i) {
    const GrowthPoint& p = curve.points[i];
    const Point at = measured.points[i];
    pen.scene.add(CircleItem{at, pen.px(3.5F), color, pen.theme.background, 1, -1});
    pen.accessible({at.x - 4, at.y - 4, 8, 8}, -1,
                   say("{}, k {}: error {:.3g}, law {} {:.3g}", curve.title, p.k, p.error, curve.law, p.law));
  }
}

}  // namespace

Scene layout_error_growth(const ErrorGrowth& growth, const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const std::vector<const GrowthCurve*> curves = shown_curves(growth);
  if (curves.empty()) {
    pen.empty_state(
        said("Error growth shows how a sum's error grows with its length, by where it is rounded"),
        said("Nothing was measured."));
    return scene;
  }
  double low = 1, high = 0;
  std::set<int64_t> ks;
  for (const GrowthCurve* c : curves) {
    for (const GrowthPoint& p : c->points) {
      low = std::min({low, p.error, p.law});
      high = std::max({high, p.error, p.law});
      ks.insert(p.k);
    }
  }
  const float left = pen.px(58), right = std::min(pen.px(300), canvas.width * 0.4F), top = pen.px(50);
  GrowthAxes a;
  a.plot = {left, top, std::max(1.0F, canvas.width - left - right),
            std::max(1.0F, canvas.height - top - pen.px(46))};
  const float inset = pen.px(10);
  a.x = {std::log10(static_cast<double>(*ks.begin())), std::log10(static_cast<double>(*ks.rbegin())),
         a.plot.x + inset, a.plot.w - 2 * inset};
  a.y = decades(std::max(low, 1e-12), high, a.plot.bottom(), -a.plot.h);
  const float room = canvas.width - pen.px(24);
  pen.text({pen.px(12), pen.px(14)},
           pen.elided(said("RMS error of a sum of k products, over √k"), room, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  pen.text({pen.px(12), pen.px(32)},
           pen.elided(say("N(0,1) values stored in bf16, {} sums per dot, seed {}; dashed: the law, u = one "
                          "rounding to bf16",
                          growth.samples, growth.seed),
                      room),
           {pen.theme.muted_text, 1, Align::left});
  draw_axes(pen, a, ks);
  std::map<std::string, int> family;
  std::vector<EndLabel> labels;
  for (const GrowthCurve* c : curves) {
    const int number = family.emplace(c->family, static_cast<int>(family.size())).first->second;
    const Color color = identity_color(pen.theme, number, 8);
    draw_growth_curve(pen, a, *c, color);
    labels.push_back({a.y.at(c->points.back().error), fmt::format("{}: {}", c->title, c->law), color});
  }
  draw_end_labels(pen, std::move(labels), a.plot.right() + pen.px(8), canvas.width - pen.px(6), top,
                  a.plot.bottom());
  return scene;
}

}  // namespace shardscope::inline views
