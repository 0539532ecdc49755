// SPDX-License-Identifier: Apache-2.0
#include "engine/session/profile/step_time.h"

#include <algorithm>
#include <map>

#include "engine/measure/import/event_words.h"

namespace shardscope::inline session {
namespace {

struct DeviceTime {
  Spans all, compute, collectives;
};

// What waits for a collective that runs beside it is the collective's time.
bool is_communication(const MeasuredOperation& operation) {
  return operation.kind == MeasuredKind::collective || is_done_half(operation.opcode);
}

}  // namespace

std::vector<TimeRange> steps_or_whole(const MeasuredTrace& trace) {
  if (!trace.steps.empty() || trace.events.empty()) return trace.steps;
  TimeRange whole{trace.events.front().start, trace.events.front().end};
  for (const MeasuredEvent& e : trace.events)
    whole = {std::min(whole.start, e.start), std::max(whole.end, e.end)};
  return {whole};
}

StepTime step_time(const Profile& profile, const std::vector<TimeRange>& steps) {
  std::map<int16_t, DeviceTime> devices;
  for (const MeasuredEvent& e : profile.trace.events) {
    const ProfiledOperation& operation = profile.operations[static_cast<size_t>(e.operation)];
    if (operation.early) continue;
    const bool communicates = is_communication(operation), transfers = operation.is_transfer();
    each_part_in(steps, {e.start, e.end}, [&](TimeRange part) {
      DeviceTime& device = devices[e.device];
      device.all.add(part);
      if (communicates)
        device.collectives.add(part);
      else if (!transfers)
        device.compute.add(part);
    });
  }
  if (devices.empty() || steps.empty()) return {};
  StepTime out;
  for (const auto& [_, device] : devices) {
    const Spans exposed = device.collectives.minus(device.compute);
    out.device_s += to_seconds(device.all.length());
    out.compute_s += to_seconds(device.compute.length());
    out.comm_s += to_seconds(device.collectives.length());
    out.exposed_comm_s += to_seconds(exposed.length());
    out.exposed_copy_s += to_seconds(device.all.minus(device.compute).minus(device.collectives).length());
  }
  for (const TimeRange& step : steps)
    out.step_s += to_seconds(step.length()) * static_cast<double>(devices.size());
  const double all = static_cast<double>(devices.size()) * static_cast<double>(steps.size());
  for (double* time :
       {&out.step_s, &out.device_s, &out.compute_s, &out.comm_s, &out.exposed_comm_s, &out.exposed_copy_s})
    *time /= all;
  out.host_gap_s = std::max(0.0, out.step_s - out.device_s);
  return out;
}

}  // namespace shardscope::inline session
