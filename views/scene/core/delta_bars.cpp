// SPDX-License-Identifier: Apache-2.0
#include "views/scene/core/delta_bars.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace shardscope::inline views {

constexpr float kBarRow = 20;  // at base size

float delta_bars_height(const Pen& pen, size_t bars) {
  return pen.px(26 + kBarRow * static_cast<float>(bars));
}

void draw_delta_bars(Pen& pen, const Rect& box, const std::string& title, const std::vector<DeltaBar>& bars,
                     Picoseconds longest) {
  pen.text({box.x, box.y + pen.px(12)}, pen.elided(title, box.w, 1, Face::bold),
           {pen.theme.text, 1, Align::left, Face::bold});
  float labels = 0, values = 0;
  for (const DeltaBar& bar : bars) {
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
  for (const DeltaBar& bar : bars) {
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

Picoseconds longest_of(const std::vector<DeltaBar>& bars) {
  Picoseconds out = 0;
  for (const DeltaBar& bar : bars) out = std::max(out, std::abs(bar.length));
  return out;
}

}  // namespace shardscope::inline views
