// SPDX-License-Identifier: Apache-2.0
#include "engine/schedule/recorder.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace shardscope {

void Recorder::finish(Timeline& timeline) {
  timeline.total = last_.time;
  timeline.event_count = event_count_;
  for (size_t d = 0; d < totals_.size(); ++d) {
    DeviceTotals& t = totals_[d];
    const Picoseconds any = busy_[d].any.total();
    t.comm = busy_[d].comm.total();
    t.exposed = any - t.compute;
    t.idle = timeline.total - any;
  }
  timeline.totals = std::move(totals_);
  CriticalPath& path = timeline.critical_path;
  path.compute = last_.compute;
  path.memory = last_.memory;
  path.latency = last_.latency;
  path.bandwidth = last_.bandwidth;
  path.overhead = last_.time - last_.compute - last_.memory - last_.latency - last_.bandwidth;
  if (keep_) sort_events(timeline);
}

void Recorder::sort_events(Timeline& timeline) {
  std::vector<int32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int32_t i) {
    const Event& e = events_[static_cast<size_t>(i)];
    return std::tuple(e.start, e.device, e.lane, e.instruction, e.chunk, i);
  };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  std::vector<int32_t> place(events_.size());
  for (size_t i = 0; i < order.size(); ++i) place[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
  timeline.events.reserve(events_.size());
  for (const int32_t i : order) {
    Event e = events_[static_cast<size_t>(i)];
    if (e.cause >= 0) e.cause = place[static_cast<size_t>(e.cause)];
    timeline.events.push_back(e);
  }
  events_ = {};
  if (last_.event < 0) return;
  std::vector<int32_t>& path = timeline.critical_path.events;
  for (int32_t e = place[static_cast<size_t>(last_.event)]; e >= 0;
       e = timeline.events[static_cast<size_t>(e)].cause) {
    path.push_back(e);
  }
  std::reverse(path.begin(), path.end());
}

}  // namespace shardscope
