// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "views/scene/story/event_text.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr size_t kMostAccessible = 1000;

bool is_comm(const Lane& lane) {
  return lane.kind == LaneKind::link || lane.kind == LaneKind::port;
}

// Draws one lane of one device and hatches what no computation hides.
class StripPainter {
 public:
  StripPainter(Pen& pen, const TimelineContext& context, int32_t device, Spans compute)
      : pen_(pen), c_(context), device_(device), compute_(std::move(compute)) {}

  void draw(const LaneStrip& strip, const Rect& box, const std::vector<LaneBin>& bins) {
    lane_ = c_.input.trace.lanes()[static_cast<size_t>(strip.lane)];
    lane_number_ = strip.lane;
    box_ = box;
    for (size_t i = 0; i < bins.size(); ++i) {
      const bool covered = i + 1 < bins.size() && bins[i + 1].range.end >= bins[i].range.end;
      covered_from_ = covered ? left_of(bins[i + 1].range.start) : box_.right() + 3;
      draw_bin(bins[i]);
    }
  }

 private:
  float left_of(Picoseconds t) const {
    return std::clamp(c_.frame.axis.x_of(t), box_.x - 2, box_.right() + 2);
  }

  void draw_bin(const LaneBin& bin) {
    const float from = left_of(bin.range.start);
    const float to = left_of(bin.range.end);
    // A pixel of room behind it keeps neighbours apart; nothing is ever thinner than a pixel.
    const float w = std::max(1.0F, to - from > 2.5F ? to - from - 1 : to - from);
    const Rect r{from, box_.y, w, box_.h};
    const bool single = bin.count == 1;
    std::optional<Event> event;
    if (single && w >= 2) event = find_event(c_.input, bin.event);
    ItemId item;
    item.kind = single ? ItemId::Kind::event : ItemId::Kind::event_group;
    item.device = device_;
    item.event = bin.event;
    item.lane = lane_number_;
    item.instruction = event ? event->instruction : -1;
    item.index = single ? c_.run_tag : static_cast<int32_t>(std::min<int64_t>(bin.count, INT32_MAX));
    const int32_t id = pen_.id(item);
    RectItem rect;
    rect.rect = r;
    if (const float seen = covered_from_ - from; seen > 2.5F) rect.rect.w = std::min(w, seen - 1);
    rect.fill = lane_color(pen_.theme, lane_);
    rect.id = id;
    if (!single) {
      const double share = bin.range.length() > 0
                               ? static_cast<double>(bin.busy) / static_cast<double>(bin.range.length())
                               : 1;
      rect.fill = mixed(pen_.theme.background, rect.fill, 0.35 + 0.65 * std::clamp(share, 0.0, 1.0));
      if (!c_.rows.thin) rect.pattern = Pattern::zigzag;
      rect.pattern_color = with_alpha(text_on(pen_.theme, rect.fill), 0.6);
    }
    pen_.scene.add(rect);
    pen_.mark(Mark::lane, rect.rect, lane_number_);
    if (rect.pattern == Pattern::zigzag) pen_.mark(Mark::merged, rect.rect);
    hatches_.clear();
    // Where lanes lie on each other, what no computation hides is what is seen.
    if (is_comm(lane_) && w >= 3 && !c_.rows.thin) hatch_exposed(bin.range, r);
    if (event) label(bin.event, *event, rect, r, id);
    if (!single) {
      accessible(r, id, [&] {
        return fmt::format("device {}, {}, {} events, {} busy", device_name(c_.input.run.mesh, device_),
                           lane_.name, group_digits(bin.count), format_picoseconds(bin.busy));
      });
    }
    mark(item, r);
  }

  void label(int32_t number, const Event& event, const RectItem& rect, const Rect& r, int32_t id) {
    accessible(r, id, [&] { return event_name(c_.input, number); });
    if (r.w < pen_.px(14) || r.h < pen_.text_px(0.77F)) return;
    // Where lanes lie on each other, what is drawn later would cover it.
    if (pen_.theme.presented() && c_.rows.thin && is_comm(lane_)) return;
    Rect shown = r;
    shown.x = std::max(r.x, box_.x);
    shown.w = std::min({r.right(), box_.right(), covered_from_}) - shown.x;
    const TextStyle style{text_on(pen_.theme, rect.fill), is_comm(lane_) ? 0.77F : 0.85F, Align::center};
    std::vector<std::string> names{event_label(c_.input, number)};
    if (is_transfer(event)) names.push_back(transfer_name(c_.input, number, NameForm::small));
    for (const std::string& text : names) {
      if (write(text, style, shown, rect.fill, id)) return;
    }
  }

  // Where nothing is hatched, else on a plain ground in a hatch that stays to be seen at both sides of it.
  bool write(const std::string& text, const TextStyle& style, const Rect& shown, Color fill, int32_t id) {
    const float room = pen_.width(text, style.size) + pen_.px(4);
    if (room > shown.w) return false;
    const Rect plain = widest_plain(shown);
    if (plain.w >= room) return pen_.text_in(plain, text, style);
    for (const Rect& hatch : hatches_) {
      const float from = std::max(hatch.x, shown.x), to = std::min(hatch.right(), shown.right());
      const Rect ground{from + (to - from - room) / 2, shown.y + 1, room, shown.h - 2};
      if (!Pen::leaves_seen({from, hatch.y, to - from, hatch.h}, ground)) continue;
      pen_.rect(ground, fill, id);
      return pen_.text_in(ground, text, style);
    }
    return false;
  }

  Rect widest_plain(const Rect& shown) const {
    Rect widest{shown.x, shown.y, 0, shown.h};
    float from = shown.x;
    const auto offer = [&](float to) {
      if (to - from > widest.w) widest.x = from, widest.w = to - from;
    };
    for (const Rect& hatch : hatches_) {
      offer(std::min(hatch.x, shown.right()));
      from = std::max(from, hatch.right());
    }
    offer(shown.right());
    return widest;
  }

  void hatch_exposed(TimeRange range, const Rect& r) {
    for (const TimeRange& gap : compute_.gaps_in(range)) hatch(gap.start, gap.end, r);
  }

  void hatch(Picoseconds from, Picoseconds to, const Rect& r) {
    const float x0 = std::max(r.x, left_of(from));
    const float x1 = std::min(r.right(), left_of(to));
    if (x1 - x0 < 2) return;
    RectItem item;
    item.rect = {x0, r.y, x1 - x0, r.h};
    item.fill = {0, 0, 0, 0};
    item.pattern = Pattern::stripes;
    item.pattern_color = pen_.theme.exposed;
    pen_.scene.add(item);
    pen_.mark(Mark::exposed, item.rect);
    hatches_.push_back(item.rect);
  }

  void mark(const ItemId& item, const Rect& r) {
    if (same(c_.selection.hovered, item)) pen_.outline(r.inset(-1), pen_.theme.hover, 1.5F);
    if (same(c_.selection.selected, item)) pen_.outline(r.inset(-1), pen_.theme.selection, 2);
  }

  // The same event, or one of an instruction that is pointed at as a whole.
  static bool same(const ItemId& wanted, const ItemId& item) {
    if (wanted.kind == ItemId::Kind::event)
      return item.kind == ItemId::Kind::event && wanted.event == item.event;
    if (wanted.kind == ItemId::Kind::event_group) return item == wanted;
    if (wanted.kind == ItemId::Kind::instruction)
      return item.instruction >= 0 && wanted.instruction == item.instruction;
    return false;
  }

  // Only those that are kept have their names made: of thousands of rows they would take most of the time.
  template <class Name>
  void accessible(const Rect& r, int32_t id, const Name& name) {
    if (r.w >= pen_.px(4) && pen_.scene.accessible().size() < kMostAccessible) pen_.accessible(r, id, name());
  }

  Pen& pen_;
  const TimelineContext& c_;
  int32_t device_;
  Spans compute_;
  Lane lane_;
  int lane_number_ = 0;
  Rect box_;
  std::vector<Rect> hatches_;  // of the bin that is drawn
  float covered_from_ =
      0;  // by the next one, as messages on a port are by their latency; beyond the box: not
};

// A lane over several rows: neighbours that do the same are one, where lanes lie on each other.
struct Drawn {
  size_t row = 0;
  size_t rows = 1;
};

std::vector<Drawn> drawn_rows(const TimelineContext& c) {
  std::vector<Drawn> out;
  for (const auto& [first, last] : c.rows.visible(c.frame, c.viewport.scroll_y)) {
    for (size_t r = first; r < last; ++r) {
      const DeviceRow& row = c.rows.rows[r];
      if (row.shown < 0) continue;
      const bool goes_on = c.rows.thin && r > first && !out.empty() &&
                           out.back().row + out.back().rows == r &&
                           c.rows.rows[out.back().row].like == row.like && c.rows.row_height < 4;
      if (goes_on)
        ++out.back().rows;
      else
        out.push_back({r, 1});
    }
  }
  return out;
}

void draw_row(Pen& pen, const TimelineContext& c, const Drawn& drawn, int pixels) {
  const std::vector<Lane>& lanes = c.input.trace.lanes();
  const int32_t device = c.rows.rows[drawn.row].shown;
  const float top = c.rows.top(c.frame, c.viewport.scroll_y, drawn.row);
  const float more = static_cast<float>(drawn.rows - 1) * c.rows.row_height;
  std::vector<LaneBin> compute;
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].kind != LaneKind::compute) continue;
    if (auto bins = c.input.trace.bins(DeviceId(device), static_cast<int>(l), c.frame.axis.range, pixels);
        bins.ok())
      compute = *std::move(bins);
  }
  Spans computes;
  for (const LaneBin& bin : compute) computes.add(bin.range);
  StripPainter painter(pen, c, device, std::move(computes));
  for (const LaneStrip& strip : c.rows.strips) {
    const Rect box{c.frame.plot.x, top + strip.y, c.frame.plot.w, strip.h + more};
    if (lanes[static_cast<size_t>(strip.lane)].kind == LaneKind::compute) {
      painter.draw(strip, box, compute);
    } else if (auto bins = c.input.trace.bins(DeviceId(device), strip.lane, c.frame.axis.range, pixels);
               bins.ok()) {
      painter.draw(strip, box, *bins);
    }
  }
}

}  // namespace

Color lane_color(const Theme& theme, const Lane& lane) {
  switch (lane.kind) {
    case LaneKind::compute:
      return theme.compute;
    case LaneKind::copy:
      return theme.copy;
    case LaneKind::port:
      return axis_color(theme, 0, 1);
    case LaneKind::link:
      return axis_color(theme, lane.axis, lane.direction);
  }
  return theme.compute;
}

void draw_timeline_strips(Pen& pen, const TimelineContext& c) {
  const std::vector<Drawn> rows = drawn_rows(c);
  const int pixels = lane_pixels(c.frame, rows.size() * c.rows.strips.size());
  for (const Drawn& drawn : rows) {
    pen.scene.push_clip(c.rows.room(c.frame, drawn.row));
    draw_row(pen, c, drawn, pixels);
    pen.scene.pop_clip();
  }
}

}  // namespace shardscope::inline views
