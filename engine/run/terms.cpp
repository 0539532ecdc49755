// SPDX-License-Identifier: Apache-2.0
#include "engine/run/terms.h"

#include <algorithm>

#include "engine/hardware/link_ends.h"

namespace shardscope {
namespace {

enum Quantity : uint8_t { kCompute, kBusy, kSends };
constexpr size_t kQuantities = 3;

struct Change {
  Picoseconds time = 0;
  Quantity what = kCompute;
  int8_t by = 0;
};

// Joins the stretches of each device and quantity, which come by start, and says when each union begins and
// ends.
class Unions {
 public:
  explicit Unions(size_t devices) : open_(devices * kQuantities) {}
  void add(size_t device, Quantity what, const Event& event) {
    if (event.end <= event.start) return;
    Stretch& open = open_[device * kQuantities + what];
    if (open.end >= event.start && open.end > open.start) {
      open.end = std::max(open.end, event.end);
      return;
    }
    close(open, what);
    open = {event.start, event.end};
  }
  std::vector<Change> finish() {
    for (size_t i = 0; i < open_.size(); ++i) close(open_[i], static_cast<Quantity>(i % kQuantities));
    std::ranges::sort(changes_, {}, &Change::time);
    return std::move(changes_);
  }

 private:
  struct Stretch {
    Picoseconds start = 0, end = 0;
  };
  void close(const Stretch& stretch, Quantity what) {
    if (stretch.end <= stretch.start) return;
    changes_.push_back({stretch.start, what, 1});
    changes_.push_back({stretch.end, what, -1});
  }
  std::vector<Stretch> open_;
  std::vector<Change> changes_;
};

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
  Unions unions(devices.size());
  for (const Event& event : timeline.events) {
    const int32_t source = place[static_cast<size_t>(event.device)];
    if (event.kind == EventKind::compute && source >= 0) {
      unions.add(static_cast<size_t>(source), kCompute, event);
      unions.add(static_cast<size_t>(source), kBusy, event);
    }
    if (event.kind != EventKind::transfer) continue;
    if (source >= 0 && !event.relayed) {
      unions.add(static_cast<size_t>(source), kSends, event);
      unions.add(static_cast<size_t>(source), kBusy, event);
    }
    const int32_t target = event.peer >= 0 ? place[static_cast<size_t>(event.peer)] : -1;
    if (target < 0) continue;
    const Lane& lane = timeline.lanes[static_cast<size_t>(event.lane)];
    if (lane.kind != LaneKind::link || lane.axis < 0 || links.beside(event.device, lane) == event.peer)
      unions.add(static_cast<size_t>(target), kBusy, event);
  }
  out.steps = steps_of(unions.finish());
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

}  // namespace shardscope
