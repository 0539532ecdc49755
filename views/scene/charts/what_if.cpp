// SPDX-License-Identifier: Apache-2.0
// The answer to a question as bars: what changes by term and part, and what 10 % of each parameter would
// give.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/run/difference.h"
#include "views/scene/charts/term_bars.h"
#include "views/scene/core/layouts.h"
#include "views/scene/core/pen.h"

namespace shardscope {
namespace {

// One bar of a list: its label, its length with a sign, what stands behind it.
struct Bar {
  std::string label, value;
  Picoseconds length = 0;
  ItemId item{};
};

constexpr float kBarRow = 20;
constexpr const char* kTornadoTitle = to_say("what 10 % better would give · until it helps no more");

float list_height(const Pen& pen, size_t bars) {
  return pen.px(26 + kBarRow * static_cast<float>(bars));
}

// Bars to the left are less time, to the right more; all lists of a picture have one scale.
void draw_bars(Pen& pen, const Rect& box, const std::string& title, const std::vector<Bar>& bars,
               Picoseconds longest) {
  pen.text({box.x, box.y + pen.px(12)}, pen.elided(title, box.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  float labels = 0, values = 0;
  for (const Bar& bar : bars) {
    labels = std::max(labels, pen.width(bar.label, 0.9F));
    values = std::max(values, pen.width(bar.value, 0.9F));
  }
  labels = std::min(labels, box.w * 0.35F);
  values = std::min(values, box.w * 0.45F);
  const float room = std::max(1.0F, box.w - labels - values - pen.px(24));
  const float middle = box.x + labels + pen.px(8) + room / 2;
  const Color less = pen.theme.dark ? Color{107, 174, 214} : Color{0, 114, 178};
  const Color more = pen.theme.dark ? Color{247, 191, 94} : Color{224, 138, 0};
  float y = box.y + pen.px(26);
  pen.line({middle, y}, {middle, y + pen.px(kBarRow) * static_cast<float>(bars.size())}, pen.theme.rule);
  for (const Bar& bar : bars) {
    const Rect row{box.x, y, box.w, pen.px(kBarRow)};
    const int32_t id = bar.item.kind == ItemId::Kind::none ? -1 : pen.id(bar.item);
    if (id >= 0) pen.rect(row, with_alpha(pen.theme.panel, 0.01), id);
    const float mid = row.y + row.h / 2;
    pen.text({box.x, mid}, pen.elided(bar.label, labels, 0.9F), {pen.theme.text, 0.9F});
    const float length =
        longest > 0 ? room / 2 * static_cast<float>(std::abs(bar.length)) / static_cast<float>(longest) : 0;
    if (bar.length != 0)
      pen.rect({bar.length < 0 ? middle - length : middle, row.y + pen.px(4), std::max(1.0F, length),
                row.h - pen.px(8)},
               bar.length < 0 ? less : more, id);
    pen.text({box.right(), mid}, pen.elided(bar.value, values, 0.9F),
             {pen.theme.muted_text, 0.9F, Align::right});
    pen.accessible(row, id, fmt::format("{}: {}: {}", title, bar.label, bar.value));
    y += row.h;
  }
}

template <class Names, class Values>
std::vector<Bar> split_bars(const Names& names, const Values& base, const Values& then) {
  std::vector<Bar> out;
  for (size_t i = 0; i < base.size(); ++i) {
    const Picoseconds delta = then[i] - base[i];
    out.push_back(
        {names(i), fmt::format("{} → {}", format_picoseconds(base[i]), format_picoseconds(then[i])), delta});
  }
  return out;
}

std::vector<Bar> sensitivity_bars(const std::vector<Sensitivity>& rows) {
  std::vector<Bar> out;
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

Picoseconds longest_of(const std::vector<Bar>& bars) {
  Picoseconds out = 0;
  for (const Bar& bar : bars) out = std::max(out, std::abs(bar.length));
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
    return Rect{x, at, column, list_height(pen, worth.size())};
  };
  const std::string title = said(kTornadoTitle);
  if (wide) {
    draw_bars(pen, worth_box(2 * gap + column, y), title, worth, longest_of(worth));
  } else {
    draw_bars(pen, worth_box(gap, y), title, worth, longest_of(worth));
    y += list_height(pen, worth.size());
  }
  draw_bars(pen, {gap, y, column, list_height(pen, terms.size())}, said("Δ by term"), terms, longest);
  y += list_height(pen, terms.size());
  draw_bars(pen, {gap, y, column, list_height(pen, parts.size())}, said("Δ on the critical path"), parts,
            longest);
  return scene;
}

Scene layout_tornado(const std::vector<Sensitivity>& sensitivities, const Canvas& canvas) {
  Scene scene;
  Canvas whole = canvas;
  {
    Scene unused;
    const Pen ruler(unused, canvas);
    whole.height = list_height(ruler, sensitivities.size()) + ruler.px(12);
  }
  Pen pen(scene, whole);
  const auto worth = sensitivity_bars(sensitivities);
  const float gap = pen.px(6);
  draw_bars(pen, {gap, gap, canvas.width - 2 * gap, list_height(pen, worth.size())}, said(kTornadoTitle),
            worth, longest_of(worth));
  return scene;
}

}  // namespace shardscope
