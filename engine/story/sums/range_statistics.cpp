// SPDX-License-Identifier: Apache-2.0
#include "engine/story/sums/range_statistics.h"

#include <algorithm>
#include <numeric>

#include "engine/base/check.h"
#include "engine/run/lane_pyramid.h"

namespace shardscope::inline story {
namespace {

TimeRange inside(TimeRange range, const Run& run) {
  const Picoseconds end = std::max<Picoseconds>(0, run.timeline.total);
  const Picoseconds start = std::clamp<Picoseconds>(range.start, 0, end);
  return {start, std::clamp(range.end, start, end)};
}

// The part of an event's bytes that goes with `part` of its time, rounded down.
int64_t share_of_bytes(const Event& e, Picoseconds part) {
  const Picoseconds whole = e.end - e.start;
  if (part >= whole) return e.bytes;
  __extension__ using Wide = __int128;
  return static_cast<int64_t>(static_cast<Wide>(e.bytes) * part / whole);
}

// Counts and durations, which are the events' own.
void count_events(const Run& run, const Operations& operations, const std::vector<int32_t>& places,
                  RangeStatistics& out) {
  for (const Event& e : run.timeline.events) {
    if (e.relayed || !touches(out.range, e.start, e.end)) continue;
    if (places[static_cast<size_t>(e.device)] < 0) continue;
    OperationStatistics& row =
        out.operations[static_cast<size_t>(operations.of_instruction[static_cast<size_t>(e.instruction)])];
    const Picoseconds whole = e.end - e.start;
    const Picoseconds part = std::min(e.end, out.range.end) - std::max(e.start, out.range.start);
    const int64_t bytes = share_of_bytes(e, part);
    row.least = row.count == 0 ? whole : std::min(row.least, whole);
    row.most = std::max(row.most, whole);
    row.whole += whole;
    row.sum += part;
    row.bytes += bytes;
    row.cut += part < whole ? 1 : 0;
    row.computes = e.kind == EventKind::compute;
    ++row.count;
    if (e.kind == EventKind::transfer) out.bytes_sent += bytes;
  }
}

// What any operation does goes to the devices' terms.
void add_span(const BusySpan& span, RangeStatistics& out) {
  const Picoseconds time = span.time.length();
  if (span.operation == kAnyCompute) {
    out.compute += time;
  } else if (span.operation == kAnyTransfer) {
    out.comm += time;
    out.exposed += time - span.hidden;
  } else {
    OperationStatistics& row = out.operations[static_cast<size_t>(span.operation)];
    row.busy += time;
    if (!row.computes) row.hidden += span.hidden;
  }
}

// The parts are equal but for a picosecond.
std::vector<TimeRange> parts_of(TimeRange range, int parts) {
  std::vector<TimeRange> out;
  __extension__ using Wide = __int128;
  const auto edge = [&](int i) {
    return range.start + static_cast<Picoseconds>(static_cast<Wide>(range.length()) * i / parts);
  };
  for (int i = 0; i < parts; ++i) out.push_back({edge(i), edge(i + 1)});
  return out;
}

void add_to_bins(const TimeRange& span, const std::vector<TimeRange>& bins, std::vector<Picoseconds>& busy) {
  auto bin = std::ranges::upper_bound(bins, span.start, {}, &TimeRange::end);
  for (; bin != bins.end() && bin->start < span.end; ++bin)
    busy[static_cast<size_t>(bin - bins.begin())] +=
        std::max<Picoseconds>(0, std::min(span.end, bin->end) - std::max(span.start, bin->start));
}

}  // namespace

double RangeStatistics::share(Picoseconds busy) const {
  const double all = static_cast<double>(range.length()) * devices;
  return all > 0 ? static_cast<double>(busy) / all : 0;
}

RangeStatistics range_statistics(const Run& run, const Operations& operations, TimeRange range,
                                 std::span<const int32_t> devices, const std::stop_token& stop) {
  RangeStatistics out;
  out.range = inside(range, run);
  out.devices = static_cast<int32_t>(devices.size());
  out.operations.resize(operations.keys.size());
  for (size_t i = 0; i < operations.keys.size(); ++i) {
    out.operations[i].key = operations.keys[i];
    out.operations[i].instructions = operations.instructions[i];
  }
  count_events(run, operations, places_of(run, devices), out);
  BusySweep sweep(run, operations, out.range, devices);
  sweep.go([&](const BusySpan& span) { add_span(span, out); }, stop);
  out.idle = out.range.length() * out.devices - out.compute - out.exposed;
  for (size_t i = 0; i < out.operations.size(); ++i)
    out.operations[i].gaps = out.range.length() - sweep.anywhere(i);
  // A device that only receives counts no event: what it does is still its own.
  std::erase_if(out.operations,
                [](const OperationStatistics& row) { return row.count == 0 && row.busy == 0; });
  std::ranges::stable_sort(out.operations, [](const auto& a, const auto& b) { return a.busy > b.busy; });
  for (const OperationStatistics& row : out.operations) {
    out.events += row.count;
    out.cut += row.cut;
  }
  return out;
}

RangeStatistics range_statistics(const Run& run, const Story* story, TimeRange range,
                                 std::span<const int32_t> devices) {
  return range_statistics(run, operations_of_events(run, story), range, devices);
}

Picoseconds OperationTimes::Row::sum() const {
  return std::accumulate(busy.begin(), busy.end(), Picoseconds{0});
}

OperationTimes operation_times(const Run& run, const Operations& operations, TimeRange range,
                               std::span<const int32_t> devices, int bins, const std::stop_token& stop) {
  OperationTimes out;
  out.range = inside(range, run);
  out.devices = static_cast<int32_t>(devices.size());
  out.bins = parts_of(out.range, std::max(1, bins));
  for (size_t i = 0; i < operations.keys.size(); ++i)
    out.rows.push_back({operations.keys[i], operations.names[i], operations.places[i],
                        operations.instructions[i], std::vector<Picoseconds>(out.bins.size(), 0)});
  BusySweep(run, operations, out.range, devices)
      .go(
          [&](const BusySpan& span) {
            if (span.operation >= 0)
              add_to_bins(span.time, out.bins, out.rows[static_cast<size_t>(span.operation)].busy);
          },
          stop);
  std::erase_if(out.rows, [](const OperationTimes::Row& row) { return row.sum() == 0; });
  std::ranges::stable_sort(out.rows, [](const auto& a, const auto& b) { return a.sum() > b.sum(); });
  return out;
}

OperationTimes operation_times(const Run& run, const Story* story, TimeRange range,
                               std::span<const int32_t> devices, int bins) {
  return operation_times(run, operations_of_events(run, story), range, devices, bins);
}

OperationTimes in_parts(const OperationTimes& times, int parts) {
  const auto of = times.bins.size() / static_cast<size_t>(parts);
  CHECK(of > 0 && of * static_cast<size_t>(parts) == times.bins.size(), times.bins.size(), parts);
  OperationTimes out;
  out.range = times.range;
  out.devices = times.devices;
  for (size_t b = 0; b < times.bins.size(); b += of)
    out.bins.push_back({times.bins[b].start, times.bins[b + of - 1].end});
  for (const OperationTimes::Row& row : times.rows) {
    std::vector<Picoseconds> busy(out.bins.size(), 0);
    for (size_t b = 0; b < row.busy.size(); ++b) busy[b / of] += row.busy[b];
    out.rows.push_back({row.key, row.name, row.place, row.instructions, std::move(busy)});
  }
  return out;
}

Result<RunSums> sum_run(const Run& run, const Story* story, const std::stop_token& stop) {
  const std::vector<int32_t> devices = all_devices(run);
  const TimeRange whole{0, run.timeline.total};
  RunSums out;
  out.operations = operations_of_events(run, story);
  out.times = operation_times(run, out.operations, whole, devices, RunSums::kParts, stop);
  out.whole = range_statistics(run, out.operations, whole, devices, stop);
  out.layers = layer_times(run, stop);
  if (stop.stop_requested()) return cancelled();
  return out;
}

}  // namespace shardscope::inline story
