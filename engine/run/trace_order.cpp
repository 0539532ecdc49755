// SPDX-License-Identifier: Apache-2.0
#include "engine/run/trace_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

namespace shardscope {

Error no_such_event(int64_t number, int64_t event_count) {
  return invalid("no event " + std::to_string(number), "the run has " + std::to_string(event_count));
}

Result<void> check_lane(const TraceSource& trace, DeviceId device, int lane) {
  if (device.value < 0 || device.value >= trace.devices())
    return invalid("no device " + std::to_string(device.value),
                   "the run has " + std::to_string(trace.devices()));
  if (lane < 0 || static_cast<size_t>(lane) >= trace.lanes().size())
    return invalid("no lane " + std::to_string(lane), "the run has " + std::to_string(trace.lanes().size()));
  return {};
}

std::vector<TraceSource::Step> trace_steps(std::span<const Event> events) {
  std::vector<TraceSource::Step> steps;
  std::unordered_map<int64_t, size_t> places;
  int64_t last_key = -1;
  size_t place = 0;
  for (const Event& event : events) {
    const int64_t key = (int64_t{event.step} + 1) << 32 | (int64_t{event.transfer_step} + 1);
    if (key != last_key) {
      const auto [entry, is_new] = places.try_emplace(key, steps.size());
      if (is_new) steps.push_back({event.step, event.transfer_step, {event.start, event.end}});
      place = entry->second;
      last_key = key;
    }
    TimeRange& range = steps[place].range;
    range = {std::min(range.start, event.start), std::max(range.end, event.end)};
  }
  std::sort(steps.begin(), steps.end(), [](const TraceSource::Step& a, const TraceSource::Step& b) {
    return std::tie(a.range, a.step, a.transfer_step) < std::tie(b.range, b.step, b.transfer_step);
  });
  return steps;
}

}  // namespace shardscope
