// SPDX-License-Identifier: Apache-2.0
#include "engine/run/terms.h"

#include <algorithm>

#include "engine/hardware/link_ends.h"
#include "engine/run/spans.h"

namespace shardscope::inline run {
namespace {

enum Quantity : uint8_t { kCompute, kBusy, kSends };
constexpr size_t kQuantities = 3;

struct Change {
  Picoseconds time = 0;
  Quantity what = kCompute;
  int8_t by = 0;
};

// When each of the unions begins and ends.
std::vector<Change> changes_of(const std::vector<std::array<Spans, kQuantities>>& unions) {
  std::vector<Change> out;
  for (const auto& of_device : unions) {
    for (const Quantity what : {kCompute, kBusy, kSends}) {
      for (const TimeRange& each : of_device[what]) {
        out.push_back({each.start, what, 1});
        out.push_back({each.end, what, -1});
      }
    }
  }
  std::ranges::sort(out, {}, &Change::time);
  return out;
}

std::vector<TermCount> steps_of(const std::vector<Change>& changes) {
  std::vector<TermCount> steps;
  std::array<int32_t, kQuantities> now{};
  for (size_t i = 0; i < changes.size();) {
    const Picoseconds time = changes[i].time;
    for (; i < changes.size() && changes[i].time == time; ++i) now[changes[i].what] += changes[i].by;
    const TermCount step{time, now[kCompute], now[kBusy] - now[kCompute], now[kSends]};
    TermCount before = steps.empty() ? TermCount{} : steps.back();
    before.from = time;
    if (before != step) steps.push_back(step);
  }
  return steps;
}

}  // namespace

const char* name(Term term) {
  switch (term) {
    case Term::compute:
      return "compute";
    case Term::exposed:
      return "exposed";
    case Term::idle:
      return "idle";
  }
  return "";
}

Terms terms_of(const Timeline& timeline) {
  if (timeline.totals.empty()) return {};
  const DeviceTotals& of = timeline.totals[static_cast<size_t>(summarise(timeline).device)];
  return {of.compute, of.exposed, of.idle};
}

Parts parts_of(const CriticalPath& path) {
  return {path.compute, path.memory, path.latency, path.bandwidth, path.overhead};
}

TermCount TermCounts::at(Picoseconds time) const {
  const auto after = std::ranges::upper_bound(steps, time, {}, &TermCount::from);
  return after == steps.begin() ? TermCount{} : *(after - 1);
}

std::array<double, 3> TermCounts::mean(Picoseconds start, Picoseconds end) const {
  auto step = std::ranges::upper_bound(steps, start, {}, &TermCount::from);
  TermCount now = step == steps.begin() ? TermCount{} : *(step - 1);
  std::array<double, 3> sums{};
  Picoseconds at = start;
  const auto add = [&](Picoseconds until) {
    const auto share = static_cast<double>(until - at) / static_cast<double>(end - start);
    sums[0] += share * now.compute;
    sums[1] += share * now.exposed;
    sums[2] += share * now.sends;
    at = until;
  };
  for (; step != steps.end() && step->from < end; ++step) {
    add(step->from);
    now = *step;
  }
  add(end);
  return sums;
}

// A device communicates while a transfer of its own is on its first link, and while one that comes to it is
// on its last: the hops between are other devices' links.
TermCounts term_counts(const Mesh& mesh, const Timeline& timeline, std::span<const int32_t> devices) {
  TermCounts out;
  out.devices = static_cast<int32_t>(devices.size());
  if (std::ssize(timeline.events) > kMostCountedEvents) return out;
  std::vector<int32_t> place(static_cast<size_t>(timeline.devices), -1);
  for (size_t i = 0; i < devices.size(); ++i)
    place[static_cast<size_t>(devices[i])] = static_cast<int32_t>(i);
  const LinkEnds links(mesh);
  std::vector<std::array<Spans, kQuantities>> unions(devices.size());
  const auto add = [&](int32_t device, std::initializer_list<Quantity> to, const Event& event) {
    for (const Quantity what : to) unions[static_cast<size_t>(device)][what].add({event.start, event.end});
  };
  for (const Event& event : timeline.events) {
    const int32_t source = place[static_cast<size_t>(event.device)];
    if (event.kind == EventKind::compute && source >= 0) add(source, {kCompute, kBusy}, event);
    if (event.kind != EventKind::transfer) continue;
    if (source >= 0 && !event.relayed) add(source, {kSends, kBusy}, event);
    const int32_t target = event.peer >= 0 ? place[static_cast<size_t>(event.peer)] : -1;
    if (target < 0) continue;
    const Lane& lane = timeline.lanes[static_cast<size_t>(event.lane)];
    if (lane.kind != LaneKind::link || lane.axis < 0 || links.beside(event.device, lane) == event.peer)
      add(target, {kBusy}, event);
  }
  out.steps = steps_of(changes_of(unions));
  return out;
}

std::map<int32_t, Picoseconds> critical_by_instruction(const Timeline& timeline) {
  std::map<int32_t, Picoseconds> out;
  Picoseconds before = 0;
  for (const int32_t number : timeline.critical_path.events) {
    if (static_cast<size_t>(number) >= timeline.events.size()) break;  // recorded without its events
    const Event& e = timeline.events[static_cast<size_t>(number)];
    out[e.instruction] += e.end - before;
    before = e.end;
  }
  return out;
}

}  // namespace shardscope::inline run
