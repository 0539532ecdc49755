// SPDX-License-Identifier: Apache-2.0
#include "engine/run/trace_order.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>

namespace shardscope::inline run {

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

// The same pair of steps may come again later for another instruction (what stands outside of the algorithm's
// steps, say): after a pause that is a step of its own.
std::vector<TraceSource::Step> trace_steps(std::span<const Event> events) {
  std::vector<TraceSource::Step> steps;
  std::vector<std::vector<int32_t>> instructions;  // by step
  std::unordered_map<int64_t, size_t> places;
  for (const Event& event : events) {
    const int64_t key = (int64_t{event.step} + 1) << 32 | (int64_t{event.transfer_step} + 1);
    const auto [entry, is_new] = places.try_emplace(key, steps.size());
    const auto seen = [&](size_t place) {
      const std::vector<int32_t>& known = instructions[place];
      return std::find(known.rbegin(), known.rend(), event.instruction) != known.rend();
    };
    const bool again = !is_new && event.start > steps[entry->second].range.end && !seen(entry->second);
    if (is_new || again) {
      entry->second = steps.size();
      steps.push_back({event.step, event.transfer_step, {event.start, event.end}});
      instructions.emplace_back();
    }
    const size_t place = entry->second;
    if (!seen(place)) instructions[place].push_back(event.instruction);
    TimeRange& range = steps[place].range;
    range = {std::min(range.start, event.start), std::max(range.end, event.end)};
  }
  std::sort(steps.begin(), steps.end(), [](const TraceSource::Step& a, const TraceSource::Step& b) {
    return std::tie(a.range, a.step, a.transfer_step) < std::tie(b.range, b.step, b.transfer_step);
  });
  return steps;
}

}  // namespace shardscope::inline run
