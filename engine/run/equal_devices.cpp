// SPDX-License-Identifier: Apache-2.0
#include "engine/run/equal_devices.h"

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

namespace shardscope::inline run {
namespace {

// 64 bits of what a device does, up to the chance that two collide.
class DevicePrint {
 public:
  void add(int64_t value) {
    hash_ = (hash_ ^ static_cast<uint64_t>(value)) * 0x9E3779B97F4A7C15ULL, hash_ ^= hash_ >> 29U;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 0x243F6A8885A308D3ULL;
};

// What is drawn of an event.
std::array<int64_t, 6> drawn(const Event& e) {
  return {e.lane, e.start, e.end, e.instruction, e.bytes, e.relayed ? 1 : 0};
}

// The numbers of each device's events by (lane, start), one device after the other.
struct EventsByDevice {
  size_t lanes = 1;
  std::vector<size_t> first;  // by device and lane, and the end
  std::vector<int32_t> numbers;
  std::span<const int32_t> of(size_t device) const {
    const size_t begin = first[device * lanes], end = first[(device + 1) * lanes];
    return std::span(numbers).subspan(begin, end - begin);
  }
};

EventsByDevice events_by_device(const Timeline& timeline) {
  EventsByDevice out;
  out.lanes = timeline.lanes.size();
  const size_t tracks = static_cast<size_t>(timeline.devices) * out.lanes;
  const auto track_of = [&](const Event& e) {
    return static_cast<size_t>(e.device) * out.lanes + static_cast<size_t>(e.lane);
  };
  out.first.assign(tracks + 1, 0);
  for (const Event& e : timeline.events) ++out.first[track_of(e) + 1];
  for (size_t t = 0; t < tracks; ++t) out.first[t + 1] += out.first[t];
  out.numbers.resize(timeline.events.size());
  std::vector<size_t> next(out.first.begin(), out.first.end() - 1);
  for (size_t i = 0; i < timeline.events.size(); ++i)
    out.numbers[next[track_of(timeline.events[i])]++] = static_cast<int32_t>(i);
  return out;
}

// Devices with one print are compared event by event with the first of each kind that has it.
std::vector<int32_t> like_by_events(const Timeline& timeline) {
  const EventsByDevice events = events_by_device(timeline);
  const auto at = [&](int32_t e) { return drawn(timeline.events[static_cast<size_t>(e)]); };
  std::unordered_map<uint64_t, std::vector<int32_t>> kinds;
  std::vector<int32_t> like;
  for (size_t d = 0; d < static_cast<size_t>(timeline.devices); ++d) {
    const auto own = events.of(d);
    DevicePrint print;
    for (const int32_t e : own)
      for (const int64_t value : at(e)) print.add(value);
    std::vector<int32_t>& firsts = kinds[print.value()];
    const auto same = std::ranges::find_if(firsts, [&](int32_t first) {
      return std::ranges::equal(own, events.of(static_cast<size_t>(first)), {}, at, at);
    });
    like.push_back(same == firsts.end() ? static_cast<int32_t>(d) : *same);
    if (same == firsts.end()) firsts.push_back(static_cast<int32_t>(d));
  }
  return like;
}

constexpr int64_t kBinBudget = 1 << 15;

void add_bins(const TraceSource& trace, int32_t device, int pixels, DevicePrint& print) {
  const TimeRange whole{0, std::max<Picoseconds>(1, trace.total())};
  for (int l = 0; l < static_cast<int>(trace.lanes().size()); ++l) {
    print.add(l);
    const auto bins = trace.bins(DeviceId(device), l, whole, pixels);
    if (!bins.ok()) continue;
    for (const LaneBin& bin : *bins)
      for (const int64_t v : {bin.range.start, bin.range.end, bin.busy, bin.count, bin.bytes}) print.add(v);
  }
}

// Of a run of which only totals were kept there is nothing else to go by.
void add_totals(const Timeline& timeline, int32_t device, DevicePrint& print) {
  if (static_cast<size_t>(device) >= timeline.totals.size()) return;
  const DeviceTotals& t = timeline.totals[static_cast<size_t>(device)];
  for (const int64_t v : {t.compute, t.comm, t.exposed, t.bytes_sent, t.bytes_received}) print.add(v);
}

// Of a run whose events are not in memory: those that are kept as one are the same. Of the others merged bins
// of every lane over the whole run show which ones differ, and that the rest may not.
void like_by_bins(const Run& run, const TraceSource& trace, EqualDevices& out) {
  const std::vector<int32_t> known = trace.known_alike();
  const auto itself = [&](int32_t d) { return known[static_cast<size_t>(d)] == d; };
  int64_t kinds = 0;
  for (int32_t d = 0; d < trace.devices(); ++d) kinds += itself(d) ? 1 : 0;
  const auto cells = std::max<int64_t>(1, kinds * std::ssize(trace.lanes()));
  const int pixels = static_cast<int>(std::clamp<int64_t>(kBinBudget / cells, 1, 32));
  std::unordered_map<uint64_t, int32_t> firsts;
  for (int32_t d = 0; d < trace.devices(); ++d) {
    if (!itself(d)) {
      out.like.push_back(out.like[static_cast<size_t>(known[static_cast<size_t>(d)])]);
      continue;
    }
    DevicePrint print;
    if (kinds > 1) add_bins(trace, d, pixels, print);
    if (trace.events_kept() == 0) add_totals(run.timeline, d, print);
    out.like.push_back(firsts.try_emplace(print.value(), d).first->second);
    out.exact = out.exact && (trace.event_count() == 0 || out.like.back() == d);
  }
}

// Those on which anything is done at all.
std::vector<bool> used_lanes(const TraceSource& trace) {
  const TimeRange whole{0, std::max<Picoseconds>(1, trace.total())};
  const std::vector<int32_t> known = trace.known_alike();
  std::vector<bool> used(trace.lanes().size(), false);
  for (size_t l = 0; l < used.size(); ++l) {
    for (int32_t d = 0; d < trace.devices() && !used[l]; ++d) {
      if (known[static_cast<size_t>(d)] < d) continue;
      const auto bins = trace.bins(DeviceId(d), static_cast<int>(l), whole, 1);
      used[l] = bins.ok() && !bins->empty();
    }
  }
  return used;
}

}  // namespace

EqualDevices equal_devices(const Run& run, const TraceSource& trace) {
  EqualDevices out;
  const Timeline& timeline = run.timeline;
  out.used.assign(trace.lanes().size(), false);
  const bool here = !timeline.events.empty() && timeline.devices == trace.devices();
  if (here) {
    for (const Event& e : timeline.events) out.used[static_cast<size_t>(e.lane)] = true;
    out.like = like_by_events(timeline);
    return out;
  }
  out.used = used_lanes(trace);
  like_by_bins(run, trace, out);
  return out;
}

}  // namespace shardscope::inline run
