// SPDX-License-Identifier: Apache-2.0
// What the trace takes longer than simulated, by cause and by operation.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/study/difference.h"
#include "views/scene/compare/beside_parts.h"
#include "views/scene/core/delta_bars.h"

namespace shardscope::inline views {
namespace {

constexpr float kCauses = 0.42F;  // of the width

std::string both_times(Picoseconds simulated, Picoseconds measured) {
  return fmt::format("{} · {} → {}", signed_picoseconds(measured - simulated), format_picoseconds(simulated),
                     format_picoseconds(measured));
}

std::vector<DeltaBar> term_bars(const Residual& r) {
  std::vector<DeltaBar> out;
  for (const ResidualRow& row : r.terms) {
    if (row.simulated == 0 && !row.measured) continue;
    const std::string times = row.term == ResidualTerm::unmatched ? signed_picoseconds(row.residual())
                              : row.measured                      ? both_times(row.simulated, *row.measured)
                                             : say("simulated {}", format_picoseconds(row.simulated));
    out.push_back({said(name(row.term)), times, row.residual(), {}});
  }
  return out;
}

// Those that were measured, as many as find room.
std::vector<DeltaBar> operation_bars(const Residual& r, size_t most) {
  std::vector<DeltaBar> out;
  for (size_t o = 0; o < r.operations.size() && out.size() < most; ++o) {
    const ResidualOperation& row = r.operations[o];
    if (!row.measured) break;
    ItemId item;
    item.kind = ItemId::Kind::candidate;
    item.index = static_cast<int32_t>(o);
    out.push_back({fmt::format("{}  {}", row.instruction, row.op), both_times(row.simulated, *row.measured),
                   row.residual(), item});
  }
  return out;
}

}  // namespace

BarHeights beside_bar_heights(const BesideInput& input, const Pen& pen) {
  const Residual& r = input.residual;
  const size_t causes = std::max<size_t>(5, term_bars(r).size());
  const size_t operations = operation_bars(r, r.operations.size()).size();
  const auto height = [&](size_t bars) { return delta_bars_height(pen, bars) + pen.px(10); };
  return {height(causes), height(std::max(causes, operations))};
}

void draw_beside_bars(Pen& pen, const BesideInput& input, const Rect& box, const BesideViewport& viewport) {
  pen.rect(box, pen.theme.background);
  pen.line({box.x, box.y}, {box.right(), box.y}, pen.theme.rule);
  pen.scene.push_clip(box);
  const float gap = pen.px(12);
  const float column = (box.w - 3 * gap) * kCauses;
  const float room = box.h - pen.px(32);
  const auto terms = term_bars(input.residual);
  const auto operations =
      operation_bars(input.residual, static_cast<size_t>(std::max(0.0F, room / pen.px(20))));
  const float y = box.y + pen.px(5);
  draw_delta_bars(pen, {box.x + gap, y, column, box.h},
                  said("measured − simulated by cause · simulated → measured"), terms, longest_of(terms));
  const Rect right{box.x + 2 * gap + column, y, box.w - 3 * gap - column, box.h};
  draw_delta_bars(pen, right, said("measured − simulated by operation · simulated → measured"), operations,
                  longest_of(operations));
  for (size_t o = 0; o < operations.size(); ++o) {
    if (operations[o].item.index != viewport.operation) continue;
    const float top = y + delta_bars_height(pen, o);
    pen.outline({right.x - pen.px(4), top, right.w + pen.px(8),
                 delta_bars_height(pen, o + 1) - delta_bars_height(pen, o)},
                pen.theme.selection, 2);
  }
  pen.scene.pop_clip();
}

}  // namespace shardscope::inline views
