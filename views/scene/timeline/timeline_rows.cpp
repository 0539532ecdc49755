// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <map>

#include "views/scene/story/event_text.h"
#include "views/scene/timeline/timeline_frame.h"

namespace shardscope {
namespace {

// What a device does, boiled down: bins of every lane over the whole run and its sums. Devices with equal
// prints do the same at the same times, up to the chance that 64 bits collide.
class DevicePrint {
 public:
  void add(int64_t value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ULL, hash_ ^= hash_ >> 29U;
  }
  void add(const LaneBin& bin) {
    for (const int64_t v : {bin.range.start, bin.range.end, bin.busy, bin.count, bin.bytes}) add(v);
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0x243F6A8885A308D3ULL;
};

constexpr int64_t kBinBudget = 1 << 15;
constexpr int64_t kComparedEvents = 20'000;  // beyond, rows are equal as far as merged bins show

// Everything that is drawn of a device's events, lane by lane.
std::vector<std::array<int64_t, 6>> drawn_events(const ViewInput& input, int32_t device, TimeRange whole) {
  std::vector<std::array<int64_t, 6>> out;
  for (size_t l = 0; l < input.trace.lanes().size(); ++l) {
    const auto numbers = input.trace.events(DeviceId(device), static_cast<int>(l), whole);
    if (!numbers.ok()) continue;
    for (const int32_t number : *numbers) {
      const auto e = find_event(input, number);
      if (e) out.push_back({static_cast<int64_t>(l), e->start, e->end, e->instruction, e->bytes, e->relayed});
    }
  }
  return out;
}

}  // namespace

TimelineRows timeline_rows(const ViewInput& input, bool collapse_equal, const Pen& pen) {
  TimelineRows out;
  const std::vector<Lane>& lanes = input.trace.lanes();
  const int32_t devices = input.trace.devices();
  const TimeRange whole{0, std::max<Picoseconds>(1, input.trace.total())};
  const auto cells = std::max<int64_t>(1, int64_t{devices} * static_cast<int64_t>(lanes.size()));
  const int pixels = static_cast<int>(std::clamp<int64_t>(kBinBudget / cells, 1, 32));
  std::vector<bool> used(lanes.size(), false);
  out.exact = input.trace.event_count() <= kComparedEvents;
  std::map<std::vector<std::array<int64_t, 6>>, size_t> row_by_events;
  std::map<uint64_t, size_t> row_by_print;
  const auto place_of = [&](int32_t device, uint64_t print) -> std::pair<size_t, bool> {
    if (out.exact) {
      const auto [at, fresh] = row_by_events.try_emplace(drawn_events(input, device, whole), out.rows.size());
      return {at->second, fresh};
    }
    const auto [at, fresh] = row_by_print.try_emplace(print, out.rows.size());
    return {at->second, fresh};
  };
  out.row_of.assign(static_cast<size_t>(devices), 0);
  for (int32_t d = 0; d < devices; ++d) {
    DevicePrint print;
    for (size_t l = 0; l < lanes.size(); ++l) {
      print.add(static_cast<int64_t>(l));
      const auto bins = input.trace.bins(DeviceId(d), static_cast<int>(l), whole, pixels);
      if (!bins.ok()) continue;
      if (!bins->empty()) used[l] = true;
      for (const LaneBin& bin : *bins) print.add(bin);
    }
    if (static_cast<size_t>(d) < input.run.timeline.totals.size()) {
      const DeviceTotals& t = input.run.timeline.totals[static_cast<size_t>(d)];
      for (const int64_t v : {t.compute, t.comm, t.exposed, t.bytes_sent, t.bytes_received}) print.add(v);
    }
    const auto [place, fresh] = place_of(d, print.value());
    if (fresh || !collapse_equal) {
      out.row_of[static_cast<size_t>(d)] = static_cast<int32_t>(out.rows.size());
      out.rows.push_back({{d}, 0});
    } else {
      out.row_of[static_cast<size_t>(d)] = static_cast<int32_t>(place);
      out.rows[place].devices.push_back(d);
    }
  }
  float y = 0;
  for (size_t l = 0; l < lanes.size(); ++l) {
    const bool compute = lanes[l].kind == LaneKind::compute;
    if (!used[l] && !compute) continue;
    const float h = pen.px(compute ? 20 : 14);
    out.strips.push_back({static_cast<int>(l), y, h});
    y += h + pen.px(4);
  }
  out.row_height = y + pen.px(8);
  for (size_t r = 0; r < out.rows.size(); ++r)
    out.rows[r].y = pen.px(3) + static_cast<float>(r) * out.row_height;
  out.height = pen.px(3) + static_cast<float>(out.rows.size()) * out.row_height;
  return out;
}

Rect TimelineRows::strip(const TimelineFrame& frame, float scroll, int32_t device, int lane) const {
  if (device < 0 || static_cast<size_t>(device) >= row_of.size()) return {};
  const DeviceRow& row = rows[static_cast<size_t>(row_of[static_cast<size_t>(device)])];
  for (const LaneStrip& s : strips) {
    if (s.lane == lane) return {frame.plot.x, frame.plot.y + row.y + s.y - scroll, frame.plot.w, s.h};
  }
  return {};
}

}  // namespace shardscope
