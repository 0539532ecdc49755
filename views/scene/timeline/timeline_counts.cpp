// SPDX-License-Identifier: Apache-2.0
// How many of the shown devices compute, wait for data and are idle, moment by moment, as stacked areas.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "views/scene/story/event_text.h"
#include "views/scene/story/found_once.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr float kCountWidth = 2;  // pixels

Color waiting_color(const Theme& theme) {
  return mixed(theme.background, theme.exposed, 0.55);
}

void draw_scale(Pen& pen, const TimelineContext& c, const TermCounts& counts) {
  const Rect& box = c.frame.counts;
  const float line = std::min(pen.px(13), box.h / 3);
  const float right = c.frame.labels.right() - pen.px(6);
  float y = box.y + pen.px(2) + line / 2;
  pen.text({right, y}, say("{} devices", group_digits(counts.devices)),
           {pen.theme.text, 0.85F, Align::right, Face::bold});
  for (const auto& [name, color] : {std::pair{to_say("wait for data"), waiting_color(pen.theme)},
                                    std::pair{to_say("compute"), pen.theme.compute}}) {
    y += line;
    const float side = pen.px(8);
    pen.rect({right - side, y - side / 2, side, side}, color);
    pen.text({right - side - pen.px(4), y}, said(name), {pen.theme.muted_text, 0.85F, Align::right});
  }
  pen.line({c.frame.area.x, box.bottom()}, {box.right(), box.bottom()}, pen.theme.rule);
}

void draw_column(Pen& pen, const Rect& column, const std::array<double, 3>& mean, double all) {
  const auto height = [&](double devices) { return static_cast<float>(devices / all) * column.h; };
  const float compute = height(mean[0]), exposed = height(mean[1]);
  pen.rect({column.x, column.bottom() - compute, column.w, compute}, pen.theme.compute);
  pen.rect({column.x, column.bottom() - compute - exposed, column.w, exposed}, waiting_color(pen.theme));
}

}  // namespace

Picoseconds counts_time(const ViewInput& input, const TimelineViewport& viewport, const Canvas& canvas,
                        int32_t column) {
  const TimeAxis axis = timeline_axis(input, viewport, canvas);
  return axis.time_at(axis.left + (static_cast<float>(column) + 0.5F) * kCountWidth);
}

std::string counts_text(const TermCounts& counts, Picoseconds time) {
  const TermCount now = counts.at(time);
  return say("{}: {} compute, {} wait for data, {} idle; {} send", format_picoseconds(time),
             group_digits(now.compute), group_digits(now.exposed), group_digits(counts.idle(now)),
             group_digits(now.sends));
}

void draw_timeline_counts(Pen& pen, const TimelineContext& c) {
  const Rect& box = c.frame.counts;
  if (box.h <= 0) return;
  const TermCounts& counts = term_counts(c.input, c.viewport.rows);
  if (counts.steps.empty() || counts.devices == 0) {
    pen.text({box.x + pen.px(4), box.y + box.h / 2},
             counts.devices == 0  ? said("no device has a row")
             : is_unread(c.input) ? why_unread(c.input)
                                  : said("its events are too many to count devices, or were not kept"),
             {pen.theme.muted_text, 0.85F, Align::left});
    return;
  }
  draw_scale(pen, c, counts);
  const Rect area{box.x, box.y + pen.px(3), box.w, box.h - pen.px(3)};
  const int columns = std::max(1, static_cast<int>(std::ceil(area.w / kCountWidth)));
  pen.scene.push_clip(area);
  for (int i = 0; i < columns; ++i) {
    const Rect column{area.x + static_cast<float>(i) * kCountWidth, area.y, kCountWidth, area.h};
    const Picoseconds from = c.frame.axis.time_at(column.x);
    const Picoseconds to = std::max(from + 1, c.frame.axis.time_at(column.right()));
    draw_column(pen, column, counts.mean(from, to), counts.devices);
    ItemId item;
    item.kind = ItemId::Kind::handle;
    item.lane = kCountsHandle;
    item.index = i;
    pen.rect(column, {0, 0, 0, 0}, pen.id(item));
  }
  pen.scene.pop_clip();
  pen.accessible(area, -1, say("how many devices do what; now {}", counts_text(counts, c.selection.time)));
}

}  // namespace shardscope::inline views
