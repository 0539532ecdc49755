// SPDX-License-Identifier: Apache-2.0
// The answer to a question as bars: what changes by term and part, and what 10 % of each parameter would
// give.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/study/difference.h"
#include "views/scene/charts/term_bars.h"
#include "views/scene/core/delta_bars.h"
#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"

namespace shardscope::inline views {
namespace {

constexpr const char* kTornadoTitle = to_say("what 10 % better would give · how far it is useful");
constexpr const char* kShortTornadoTitle = to_say("what 10 % better would give");

// Without room for both halves the first: the values say the second themselves.
std::string tornado_title(const Pen& pen, float room) {
  const std::string text = pen.fitting({said(kTornadoTitle), said(kShortTornadoTitle)}, room, 1, Face::bold);
  return text.empty() ? said(kShortTornadoTitle) : text;
}

template <class Names, class Values>
std::vector<DeltaBar> split_bars(const Names& names, const Values& base, const Values& then) {
  std::vector<DeltaBar> out;
  for (size_t i = 0; i < base.size(); ++i) {
    const Picoseconds delta = then[i] - base[i];
    out.push_back(
        {names(i), fmt::format("{} → {}", format_picoseconds(base[i]), format_picoseconds(then[i])), delta});
  }
  return out;
}

std::vector<DeltaBar> sensitivity_bars(const std::vector<Sensitivity>& rows) {
  std::vector<DeltaBar> out;
  for (size_t i = 0; i < rows.size(); ++i) {
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(i);
    out.push_back({rows[i].parameter,
                   fmt::format("{} · {}", signed_picoseconds(rows[i].plus10), stops_at_text(rows[i])),
                   rows[i].plus10, item});
  }
  return out;
}

}  // namespace

Scene layout_what_if_bars(const WhatIfAnswer& answer, const std::vector<Sensitivity>& sensitivities,
                          const Canvas& canvas) {
  Scene scene;
  Pen pen(scene, canvas);
  const auto terms =
      split_bars([](size_t i) { return said(name(kTerms[i])); }, answer.base.terms, answer.then.terms);
  const auto parts =
      split_bars([](size_t i) { return said(kPartNames[i]); }, answer.base.parts, answer.then.parts);
  const auto worth = sensitivity_bars(sensitivities);
  const bool wide = canvas.width > pen.px(560);
  const float gap = pen.px(12);
  const float column = wide ? (canvas.width - 3 * gap) / 2 : canvas.width - 2 * gap;
  const Picoseconds longest = std::max(longest_of(terms), longest_of(parts));
  float y = gap / 2;
  const auto worth_box = [&](float x, float at) {
    return Rect{x, at, column, delta_bars_height(pen, worth.size())};
  };
  const std::string title = tornado_title(pen, column);
  if (wide) {
    draw_delta_bars(pen, worth_box(2 * gap + column, y), title, worth, longest_of(worth));
  } else {
    draw_delta_bars(pen, worth_box(gap, y), title, worth, longest_of(worth));
    y += delta_bars_height(pen, worth.size());
  }
  draw_delta_bars(pen, {gap, y, column, delta_bars_height(pen, terms.size())}, said("Δ by term"), terms,
                  longest);
  y += delta_bars_height(pen, terms.size());
  draw_delta_bars(pen, {gap, y, column, delta_bars_height(pen, parts.size())}, said("Δ on the critical path"),
                  parts, longest);
  return scene;
}

Scene layout_tornado(const std::vector<Sensitivity>& sensitivities, const Canvas& canvas) {
  Scene scene;
  Canvas whole = canvas;
  {
    Scene unused;
    const Pen ruler(unused, canvas);
    whole.height = delta_bars_height(ruler, sensitivities.size()) + ruler.px(12);
  }
  Pen pen(scene, whole);
  const auto worth = sensitivity_bars(sensitivities);
  const float gap = pen.px(6);
  draw_delta_bars(pen, {gap, gap, canvas.width - 2 * gap, delta_bars_height(pen, worth.size())},
                  tornado_title(pen, canvas.width - 2 * gap), worth, longest_of(worth));
  return scene;
}

}  // namespace shardscope::inline views
