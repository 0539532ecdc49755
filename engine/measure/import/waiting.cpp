// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/import/waiting.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardscope::inline measure {
namespace {

// Nobody leaves before all have come: only of these is the last arrival the beginning.
bool waits_for_all(const MeasuredOperation& operation) {
  return operation.kind == MeasuredKind::collective && !operation.opcode.empty() &&
         operation.opcode != "collective-permute" && operation.opcode != "send" && operation.opcode != "recv";
}

using Places = std::vector<size_t>;
using ByDevice = std::map<int16_t, Places>;  // of one collective's events, by start

bool go_together(const ByDevice& devices, const MeasuredOperation& operation, bool group_known) {
  const auto count = static_cast<int32_t>(devices.size());
  if (!group_known && operation.group != 0 && operation.group != count) return false;
  return std::ranges::all_of(
      devices, [&](const auto& of) { return of.second.size() == devices.begin()->second.size(); });
}

// The k-th time of a collective on each of its devices. One that had left before the last came would be of
// another time, or another clock.
bool split_time(const ByDevice& devices, size_t k, std::vector<MeasuredEvent>& events) {
  Picoseconds last_start = events[devices.begin()->second[k]].start;
  Picoseconds first_end = events[devices.begin()->second[k]].end;
  for (const auto& [_, places] : devices) {
    last_start = std::max(last_start, events[places[k]].start);
    first_end = std::min(first_end, events[places[k]].end);
  }
  if (last_start > first_end) return false;
  for (const auto& [_, places] : devices) events[places[k]].wait = last_start - events[places[k]].start;
  return true;
}

// What is left of `outer` between those that lie in it.
struct Open {
  MeasuredEvent event;
  Picoseconds done = 0;  // up to here its time is given out
};

void close(const Open& open, Picoseconds until, std::vector<MeasuredEvent>& out) {
  const Picoseconds end = std::min(until, open.event.end);
  if (end <= open.done && open.event.end > open.event.start) return;
  MeasuredEvent piece = open.event;
  piece.start = open.done;
  piece.end = std::max(end, open.done);
  out.push_back(piece);
}

// Events of one lane, by start and the longer one first.
void split_lane(const std::vector<MeasuredEvent>& events, std::vector<MeasuredEvent>& out) {
  std::vector<Open> open;
  const auto close_until = [&](Picoseconds time) {
    while (!open.empty() && open.back().event.end <= time) {
      const Open ended = open.back();
      open.pop_back();
      close(ended, ended.event.end, out);
      if (!open.empty()) open.back().done = std::max(open.back().done, ended.event.end);
    }
  };
  for (const MeasuredEvent& e : events) {
    close_until(e.start);
    if (!open.empty() && e.end <= open.back().event.end) {
      if (e.start > open.back().done) close(open.back(), e.start, out);
      open.back().done = std::max(open.back().done, e.start);
    }
    open.push_back({e, e.start});
  }
  if (!open.empty()) close_until(std::numeric_limits<Picoseconds>::max());
}

}  // namespace

int64_t split_waiting(const std::vector<MeasuredOperation>& operations, std::vector<MeasuredEvent>& events) {
  std::map<std::pair<int32_t, Picoseconds>, ByDevice> collectives;
  for (size_t i = 0; i < events.size(); ++i) {
    MeasuredEvent& e = events[i];
    const Picoseconds group = std::exchange(e.wait, 0);
    if (waits_for_all(operations[static_cast<size_t>(e.operation)]))
      collectives[{e.operation, group}][e.device].push_back(i);
  }
  int64_t alone = 0;
  for (const auto& [key, devices] : collectives) {
    if (devices.size() < 2) continue;
    const bool together = go_together(devices, operations[static_cast<size_t>(key.first)], key.second != 0);
    const size_t times = devices.begin()->second.size();
    for (size_t k = 0; together && k < times; ++k)
      if (!split_time(devices, k, events)) alone += static_cast<int64_t>(devices.size());
    if (!together)
      for (const auto& [_, places] : devices) alone += static_cast<int64_t>(places.size());
  }
  return alone;
}

void split_enclosing(const std::set<int16_t>& lanes, std::vector<MeasuredEvent>& events) {
  const auto nested = [&](const MeasuredEvent& e) { return lanes.contains(e.lane); };
  const auto first =
      std::stable_partition(events.begin(), events.end(), [&](const auto& e) { return !nested(e); });
  std::vector<MeasuredEvent> inner(first, events.end());
  if (inner.empty()) return;
  events.erase(first, events.end());
  std::ranges::stable_sort(inner, [](const MeasuredEvent& a, const MeasuredEvent& b) {
    return std::tuple(a.device, a.lane, a.start, -a.end) < std::tuple(b.device, b.lane, b.start, -b.end);
  });
  for (size_t i = 0; i < inner.size();) {
    size_t end = i;
    while (end < inner.size() && inner[end].device == inner[i].device && inner[end].lane == inner[i].lane)
      ++end;
    split_lane(
        {inner.begin() + static_cast<std::ptrdiff_t>(i), inner.begin() + static_cast<std::ptrdiff_t>(end)},
        events);
    i = end;
  }
}

}  // namespace shardscope::inline measure
