// SPDX-License-Identifier: Apache-2.0
// The difference of each run from the first as a bar a term; those of a run add up to its gap.
#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/compare/compare_parts.h"

namespace shardscope::inline views {
namespace {

constexpr float kRunLine = 22;  // at base size
constexpr size_t kMostReasons = 6;

Picoseconds largest_of_all(const RunDifference& d) {
  Picoseconds out = 1;
  for (const TimeRow& row : d.terms)
    for (size_t r = 1; r < d.runs.size(); ++r) out = std::max(out, std::abs(row.delta(r)));
  return out;
}

// From the middle to the side of its sign, its number beside it.
void draw_bar(Pen& pen, const Rect& cell, Picoseconds delta, Picoseconds most, int32_t id) {
  const Color blue = pen.theme.dark ? Color{107, 174, 214} : Color{0, 114, 178};
  const Color orange = pen.theme.dark ? Color{247, 191, 94} : Color{224, 138, 0};
  const std::string words = signed_picoseconds(delta);
  const float text = pen.width(words, 0.85F) + pen.px(10);
  const float middle = cell.x + cell.w / 2;
  const float half = std::max(pen.px(4), cell.w / 2 - text);
  const float length = half * static_cast<float>(std::abs(delta)) / static_cast<float>(most);
  pen.rect(cell, {0, 0, 0, 0}, id);
  if (delta != 0)
    pen.rect({delta < 0 ? middle - length : middle, cell.y + cell.h * 0.18F, std::max(1.0F, length),
              cell.h * 0.64F},
             delta < 0 ? blue : orange, id);
  pen.line({middle, cell.y + pen.px(2)}, {middle, cell.bottom() - pen.px(2)}, pen.theme.rule);
  const float beside = delta < 0 ? middle - length - pen.px(5) : middle + length + pen.px(5);
  pen.text({beside, cell.y + cell.h / 2}, words,
           {pen.theme.text, 0.85F, delta < 0 ? Align::right : Align::left});
}

}  // namespace

float compare_bars_height(const RunDifference& d, const Pen& pen) {
  return pen.px(kRunLine) * static_cast<float>(d.runs.size()) + pen.px(6);
}

void draw_compare_bars(Pen& pen, const RunDifference& d, const Rect& box, const ItemId& hovered) {
  pen.rect(box, pen.theme.background);
  pen.line({box.x, box.y}, {box.right(), box.y}, pen.theme.rule);
  // Of many runs all are seen, in lower lines.
  const float line = std::min(pen.px(kRunLine), (box.h - pen.px(4)) / static_cast<float>(d.runs.size()));
  const float first = pen.px(40), last = pen.px(110);
  const float width = (box.w - first - last) / static_cast<float>(d.terms.size());
  const Picoseconds most = largest_of_all(d);
  const TextStyle head{pen.theme.muted_text, 0.85F, Align::center};
  const float top = box.y + pen.px(3);
  for (size_t t = 0; t < d.terms.size(); ++t)
    pen.text({first + width * (static_cast<float>(t) + 0.5F), top + line / 2}, d.terms[t].name, head);
  pen.text({box.right() - pen.px(8), top + line / 2}, "together",
           {pen.theme.muted_text, 0.85F, Align::right});
  float y = top + line;
  for (size_t r = 1; r < d.runs.size() && y + line <= box.bottom() + 1; ++r, y += line) {
    pen.text({pen.px(8), y + line / 2}, letter_of(r) + "−A", {pen.theme.text, 1, Align::left, Face::bold});
    for (size_t t = 0; t < d.terms.size(); ++t) {
      ItemId item;
      item.kind = ItemId::Kind::handle;
      item.index = static_cast<int32_t>(t);
      item.lane = static_cast<int32_t>(r);
      const Rect cell{first + width * static_cast<float>(t), y, width, line};
      const int32_t id = pen.id(item);
      draw_bar(pen, cell, d.terms[t].delta(r), most, id);
      if (item == hovered) pen.outline(cell.inset(1), pen.theme.hover, 1.5F);
      pen.accessible(
          cell, id,
          fmt::format("{}−A {} {}", letter_of(r), d.terms[t].name, signed_picoseconds(d.terms[t].delta(r))));
    }
    pen.text({box.right() - pen.px(8), y + line / 2}, signed_picoseconds(d.gap(r)),
             {pen.theme.text, 1, Align::right, Face::bold});
  }
}

std::vector<std::string> describe_bar(const RunDifference& d, const ItemId& bar) {
  const auto run = static_cast<size_t>(bar.lane), t = static_cast<size_t>(bar.index);
  if (bar.kind != ItemId::Kind::handle || bar.lane < 1 || run >= d.runs.size() || t >= d.terms.size())
    return {};
  std::vector<std::string> out{say(
      "{} {} in {}, {} in A: {}", d.terms[t].name, format_picoseconds(d.terms[t].values[run]), letter_of(run),
      format_picoseconds(d.terms[t].values[0]), signed_picoseconds(d.terms[t].delta(run)))};
  std::vector<const ReasonRow*> rows;
  for (const ReasonRow& row : d.reasons)
    if (row.term == kTerms[t] && row.time.delta(run) != 0) rows.push_back(&row);
  std::ranges::stable_sort(rows, [&](const ReasonRow* a, const ReasonRow* b) {
    return std::abs(a->time.delta(run)) > std::abs(b->time.delta(run));
  });
  for (size_t i = 0; i < rows.size() && i < kMostReasons; ++i)
    out.push_back(say("{}  {}: {} instead of {}", signed_picoseconds(rows[i]->time.delta(run)),
                      rows[i]->time.name, format_picoseconds(rows[i]->time.values[run]),
                      format_picoseconds(rows[i]->time.values[0])));
  if (rows.size() > kMostReasons) out.push_back(say("and {} more", rows.size() - kMostReasons));
  return out;
}

}  // namespace shardscope::inline views
