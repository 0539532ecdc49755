// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/busy_spans.h"

#include <algorithm>
#include <numeric>

#include "engine/story/sums/operation_name.h"

namespace shardscope::inline story {
namespace {

void open_or_join(std::vector<BusySpan>& open, const BusySpan& more) {
  const auto same = std::ranges::find(open, more.operation, &BusySpan::operation);
  if (same == open.end())
    open.push_back(more);
  else
    same->time.end = std::max(same->time.end, more.time.end);
}

}  // namespace

std::vector<int32_t> places_of(const Run& run, std::span<const int32_t> devices) {
  std::vector<int32_t> out(static_cast<size_t>(std::max(0, run.timeline.devices)), -1);
  for (size_t i = 0; i < devices.size(); ++i)
    if (devices[i] >= 0 && static_cast<size_t>(devices[i]) < out.size())
      out[static_cast<size_t>(devices[i])] = static_cast<int32_t>(i);
  return out;
}

std::vector<int32_t> all_devices(const Run& run) {
  std::vector<int32_t> out(static_cast<size_t>(std::max(0, run.timeline.devices)));
  std::iota(out.begin(), out.end(), 0);
  return out;
}

BusySweep::BusySweep(const Run& run, const Operations& operations, TimeRange range,
                     std::span<const int32_t> devices)
    : run_(run),
      operations_(operations),
      range_(range),
      places_(places_of(run, devices)),
      devices_(devices.size()),
      anywhere_(operations.keys.size()) {}

// Events come by start: what ended before `start` grows no more, and no compute span begins before it.
void BusySweep::close_before(Device& device, Picoseconds start, const Take& take) {
  Picoseconds first = start;
  for (size_t i = 0; i < device.open.size();) {
    BusySpan& span = device.open[i];
    if (span.time.end >= start) {
      first = std::min(first, span.time.start);
      ++i;
      continue;
    }
    span.hidden = device.compute.length_in(span.time);
    take(span);
    span = device.open.back();
    device.open.pop_back();
  }
  device.compute.forget_before(first);
}

void BusySweep::add(const Event& event, TimeRange time, int32_t device, const Take& take) {
  const int32_t place = places_[static_cast<size_t>(device)];
  if (place < 0) return;
  Device& at = devices_[static_cast<size_t>(place)];
  close_before(at, time.start, take);
  const int32_t operation = operations_.of_instruction[static_cast<size_t>(event.instruction)];
  open_or_join(at.open, {operation, place, time});
  if (event.kind == EventKind::transfer) open_or_join(at.open, {kAnyTransfer, place, time});
  if (event.kind == EventKind::compute) {
    open_or_join(at.open, {kAnyCompute, place, time});
    at.compute.add(time);
  }
  anywhere_[static_cast<size_t>(operation)].add(time);
}

bool BusySweep::go(const Take& take, const std::stop_token& stop) {
  size_t seen = 0;
  for (const Event& e : run_.timeline.events) {
    if (++seen % kEventsBetweenStops == 0 && stop.stop_requested()) return false;
    if (e.start >= range_.end) break;
    const TimeRange time{std::max(e.start, range_.start), std::min(e.end, range_.end)};
    if (time.length() <= 0) continue;
    const bool transfer = e.kind == EventKind::transfer;
    if (!transfer || !e.relayed) add(e, time, e.device, take);
    if (transfer && e.peer >= 0 && e.peer != e.device && arrives(run_, e)) add(e, time, e.peer, take);
  }
  for (Device& device : devices_) close_before(device, INT64_MAX, take);
  return true;
}

}  // namespace shardscope::inline story
