// SPDX-License-Identifier: Apache-2.0
// Which rows there are, how high they are and where they stand.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "engine/mesh/chosen_devices.h"
#include "views/scene/story/found_once.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope::inline views {
namespace {

constexpr float kLeastLink = 5;  // of a link, at 100 %: below it lanes lie on each other
constexpr float kComputeHeight = 20, kLinkHeight = 14, kLaneGap = 4, kRowGap = 8, kMargin = 3;
constexpr float kMostStretch = 1.8F;

// The one with the most exposed communication: what decides.
int32_t deciding(const ViewInput& input, const std::vector<int32_t>& devices) {
  const std::vector<DeviceTotals>& totals = input.run.timeline.totals;
  const auto exposed = [&](int32_t d) {
    return static_cast<size_t>(d) < totals.size() ? totals[static_cast<size_t>(d)].exposed : 0;
  };
  return *std::ranges::max_element(devices, {}, exposed);
}

// Puts the rows in their order.
class RowMaker {
 public:
  RowMaker(const ViewInput& input, const TimelineViewport& viewport, const EqualDevices& equal,
           TimelineRows& out)
      : input_(input), viewport_(viewport), choice_(viewport.rows), equal_(equal), out_(out) {}

  void make() {
    const std::vector<int32_t> devices = row_devices(input_, choice_);
    out_.row_of.assign(static_cast<size_t>(input_.trace.devices()), -1);
    for (const int32_t d : choice_.pinned)
      if (std::ranges::binary_search(devices, d) && out_.row_of[static_cast<size_t>(d)] < 0) add({d});
    out_.pinned = out_.rows.size();
    std::vector<int32_t> others;
    for (const int32_t d : devices)
      if (out_.row_of[static_cast<size_t>(d)] < 0) others.push_back(d);
    const auto axis = input_.run.mesh.axis_index(choice_.group);
    if (!axis) return add_devices(others);
    std::map<int64_t, std::vector<int32_t>> groups;
    for (const int32_t d : others) groups[input_.run.mesh.coordinate(DeviceId(d), *axis)].push_back(d);
    for (const auto& [coordinate, members] : groups) add_group(coordinate, members);
  }

 private:
  DeviceRow& add(std::vector<int32_t> devices) {
    DeviceRow row;
    row.shown = devices.front();
    for (const int32_t d : devices)
      out_.row_of[static_cast<size_t>(d)] = static_cast<int32_t>(out_.rows.size());
    row.like = equal_.like[static_cast<size_t>(row.shown)];
    row.devices = std::move(devices);
    out_.rows.push_back(std::move(row));
    return out_.rows.back();
  }

  void add_devices(const std::vector<int32_t>& devices) {
    std::map<int32_t, size_t> row_of_kind;
    for (const int32_t d : devices) {
      const auto [at, fresh] = row_of_kind.try_emplace(equal_.like[static_cast<size_t>(d)], out_.rows.size());
      if (fresh || !viewport_.collapse_equal) {
        add({d});
        continue;
      }
      out_.row_of[static_cast<size_t>(d)] = static_cast<int32_t>(at->second);
      out_.rows[at->second].devices.push_back(d);
    }
  }

  void add_group(int64_t coordinate, const std::vector<int32_t>& members) {
    const bool folded = std::ranges::binary_search(choice_.folded, coordinate);
    if (folded) {
      DeviceRow& row = add(members);
      row.shown = deciding(input_, members);
      row.like = equal_.like[static_cast<size_t>(row.shown)];
      row.folded = true;
      row.group = coordinate;
      row.group_size = static_cast<int32_t>(members.size());
      return;
    }
    DeviceRow head;
    head.group = coordinate;
    head.group_size = static_cast<int32_t>(members.size());
    out_.rows.push_back(std::move(head));
    add_devices(members);
  }

  const ViewInput& input_;
  const TimelineViewport& viewport_;
  const RowChoice& choice_;
  const EqualDevices& equal_;
  TimelineRows& out_;
};

// The lanes in a row `height` high; 0: as high as they want to be.
void lay_strips(TimelineRows& out, const std::vector<Lane>& lanes, const std::vector<bool>& used,
                float height, const Pen& pen) {
  float natural = pen.px(kRowGap);
  std::vector<LaneStrip> strips;
  const auto is_compute = [&](size_t l) { return lanes[l].kind == LaneKind::compute; };
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (!used[l] && !is_compute(l)) continue;
    const float h = pen.px(is_compute(l) ? kComputeHeight : kLinkHeight);
    strips.push_back({static_cast<int>(l), natural - pen.px(kRowGap), h});
    natural += h + pen.px(kLaneGap);
  }
  out.row_height = height > 0 ? height : natural;
  // Before a class no row is higher than it needs to be.
  if (pen.theme.presented()) out.row_height = std::min(out.row_height, natural * kMostStretch);
  const float stretch = out.row_height / natural;
  out.thin = pen.px(kLinkHeight) * stretch < pen.px(kLeastLink);
  for (LaneStrip& strip : strips) {
    strip.y *= stretch;
    strip.h *= stretch;
    if (!out.thin) continue;
    strip.y = 0;
    strip.h = out.row_height >= 8   ? out.row_height - 2
              : out.row_height >= 4 ? out.row_height - 1
                                    : out.row_height;
  }
  // What is drawn last is on top: where it computes nothing is exposed.
  if (out.thin)
    std::stable_partition(strips.begin(), strips.end(),
                          [&](const LaneStrip& s) { return !is_compute(static_cast<size_t>(s.lane)); });
  out.strips = std::move(strips);
}

// Before a class nothing is scrolled to.
bool all_in_sight(const RowChoice& choice, const Pen& pen) {
  return choice.fit || (choice.height <= 0 && pen.theme.presented());
}

float wanted_height(const RowChoice& choice, const TimelineRows& rows, float room, const Pen& pen) {
  if (!all_in_sight(choice, pen)) return choice.height > 0 ? std::max(1.0F, pen.px(choice.height)) : 0;
  const auto heads = static_cast<float>(std::ranges::count(rows.rows, -1, &DeviceRow::shown));
  const float count = std::max(1.0F, static_cast<float>(rows.rows.size()) - heads);
  const float height = (room - pen.px(kMargin) - heads * pen.px(kComputeHeight)) / count;
  return std::max(1.0F, height < 8 ? std::floor(height) : height);
}

}  // namespace

std::vector<int32_t> row_devices(const ViewInput& input, const RowChoice& rows) {
  std::vector<int32_t> devices;
  if (auto chosen = chosen_devices(input.run.mesh, rows.filter); !rows.filter.empty() && chosen.ok()) {
    devices = *std::move(chosen);
    std::erase_if(devices, [&](int32_t d) { return d >= input.trace.devices(); });
  } else {
    devices.resize(static_cast<size_t>(std::max(0, input.trace.devices())));
    std::iota(devices.begin(), devices.end(), 0);
  }
  std::erase_if(devices, [&](int32_t d) { return std::ranges::binary_search(rows.hidden, d); });
  return devices;
}

std::vector<int32_t> row_mates(const ViewInput& input, const TimelineViewport& viewport, int32_t device) {
  TimelineRows rows;
  RowMaker(input, viewport, equal_devices(input), rows).make();
  if (device < 0 || device >= std::ssize(rows.row_of)) return {};
  const int32_t row = rows.row_of[static_cast<size_t>(device)];
  return row < 0 ? std::vector<int32_t>{} : rows.rows[static_cast<size_t>(row)].devices;
}

TimelineRows timeline_rows(const ViewInput& input, const TimelineViewport& viewport, float room,
                           const Pen& pen) {
  TimelineRows out;
  const EqualDevices& equal = equal_devices(input);
  out.exact = equal.exact;
  RowMaker(input, viewport, equal, out).make();
  lay_strips(out, input.trace.lanes(), equal.used, wanted_height(viewport.rows, out, room, pen), pen);
  float y = pen.px(kMargin);
  for (size_t r = 0; r < out.rows.size(); ++r) {
    if (r == out.pinned) out.pinned_height = r == 0 ? 0 : y;
    out.rows[r].y = y;
    out.rows[r].h = out.rows[r].shown < 0 ? pen.px(kComputeHeight) : out.row_height;
    y += out.rows[r].h;
  }
  out.height = y;
  if (out.pinned == out.rows.size()) out.pinned_height = out.pinned == 0 ? 0 : y;
  // Where they would leave no room for the others they scroll like them.
  if (out.pinned_height > room * 0.7F) out.pinned = 0, out.pinned_height = 0;
  return out;
}

float TimelineRows::top(const TimelineFrame& frame, float scroll, size_t row) const {
  return frame.plot.y + rows[row].y - (row < pinned ? 0 : scroll);
}

Rect TimelineRows::room(const TimelineFrame& frame, size_t row) const {
  Rect out = frame.plot;
  if (row < pinned) {
    out.h = std::min(out.h, pinned_height);
  } else {
    out.y += pinned_height;
    out.h = std::max(0.0F, out.h - pinned_height);
  }
  return out;
}

std::array<TimelineRows::Span, 2> TimelineRows::visible(const TimelineFrame& frame, float scroll) const {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(pinned);
  const auto first = std::partition_point(
      begin, rows.end(), [&](const DeviceRow& r) { return r.y + r.h <= scroll + pinned_height; });
  const auto last = std::partition_point(first, rows.end(),
                                         [&](const DeviceRow& r) { return r.y < scroll + frame.plot.h; });
  return {Span{0, pinned},
          Span{static_cast<size_t>(first - rows.begin()), static_cast<size_t>(last - rows.begin())}};
}

Rect TimelineRows::strip(const TimelineFrame& frame, float scroll, int32_t device, int lane) const {
  if (device < 0 || static_cast<size_t>(device) >= row_of.size()) return {};
  const int32_t row = row_of[static_cast<size_t>(device)];
  if (row < 0) return {};
  for (const LaneStrip& s : strips) {
    if (s.lane == lane)
      return {frame.plot.x, top(frame, scroll, static_cast<size_t>(row)) + s.y, frame.plot.w, s.h};
  }
  return {};
}

int lane_pixels(const TimelineFrame& frame, size_t strips) {
  // Four pixels are the least in which a texture shows and a pointer finds its event.
  const int most = std::max(1, static_cast<int>(frame.plot.w / 4));
  constexpr size_t kCells = 24'000;
  const auto share = static_cast<int>(std::min<size_t>(kCells / std::max<size_t>(1, strips), 1U << 20));
  return std::min(most, std::max(share, std::min(most, 16)));
}

}  // namespace shardscope::inline views
