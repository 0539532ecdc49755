// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/range_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope {
namespace {

constexpr int64_t kExactUpTo = 20'000;  // events read one by one
constexpr int kMergedPixels = 4096;

TimeRange clipped(TimeRange r, TimeRange to) {
  return {std::max(r.start, to.start), std::min(r.end, to.end)};
}

// Sorts, merges and sums; leaves disjoint ranges.
Picoseconds unite(std::vector<TimeRange>& ranges) {
  std::erase_if(ranges, [](const TimeRange& r) { return r.length() <= 0; });
  std::sort(ranges.begin(), ranges.end());
  std::vector<TimeRange> merged;
  for (const TimeRange& r : ranges) {
    if (!merged.empty() && r.start <= merged.back().end)
      merged.back().end = std::max(merged.back().end, r.end);
    else
      merged.push_back(r);
  }
  ranges = std::move(merged);
  Picoseconds sum = 0;
  for (const TimeRange& r : ranges) sum += r.length();
  return sum;
}

int64_t events_in(const ViewInput& input, TimeRange range) {
  int64_t count = 0;
  for (int32_t d = 0; d < input.trace.devices() && count <= kExactUpTo; ++d) {
    for (int lane = 0; lane < static_cast<int>(input.trace.lanes().size()); ++lane) {
      const auto bins = input.trace.bins(DeviceId(d), lane, range, 1);
      if (!bins.ok()) continue;
      for (const LaneBin& bin : *bins) count += bin.count;
    }
  }
  return count;
}

void add_duration(LaneSums& lane, Picoseconds duration) {
  lane.shortest = lane.count == 0 ? duration : std::min(lane.shortest, duration);
  lane.longest = std::max(lane.longest, duration);
  lane.total += duration;
  ++lane.count;
}

}  // namespace

RangeSums range_sums(const ViewInput& input, int32_t device, TimeRange range) {
  RangeSums sums;
  const std::vector<Lane>& lanes = input.trace.lanes();
  sums.lanes.resize(lanes.size());
  sums.approximate = events_in(input, range) > kExactUpTo;
  std::vector<TimeRange> compute;
  std::vector<TimeRange> comm;
  const int32_t first = sums.approximate ? device : 0;
  const int32_t last = sums.approximate ? device + 1 : input.trace.devices();
  for (int32_t d = first; d < last; ++d) {
    for (size_t l = 0; l < lanes.size(); ++l) {
      const bool link = lanes[l].kind == LaneKind::link || lanes[l].kind == LaneKind::port;
      if (d != device && !link) continue;
      if (sums.approximate) {
        const auto bins = input.trace.bins(DeviceId(d), static_cast<int>(l), range, kMergedPixels);
        if (!bins.ok()) continue;
        for (const LaneBin& bin : *bins) {
          const TimeRange part = clipped(bin.range, range);
          sums.lanes[l].count += bin.count;
          sums.lanes[l].bytes += bin.bytes;
          sums.lanes[l].busy += std::min(bin.busy, part.length());
          (link ? comm : compute).push_back(part);
          if (link) sums.bytes_sent += bin.bytes;
        }
        continue;
      }
      const auto numbers = input.trace.events(DeviceId(d), static_cast<int>(l), range);
      if (!numbers.ok()) continue;
      for (const int32_t number : *numbers) {
        const std::optional<Event> event = find_event(input, number);
        if (!event) continue;
        const TimeRange part = clipped({event->start, event->end}, range);
        if (link && (d == device || event->peer == device)) comm.push_back(part);
        if (d != device) continue;
        if (lanes[l].kind == LaneKind::compute) compute.push_back(part);
        add_duration(sums.lanes[l], event->end - event->start);
        sums.lanes[l].busy += std::max<Picoseconds>(0, part.length());
        sums.lanes[l].bytes += event->bytes;
        if (link && !event->relayed) sums.bytes_sent += event->bytes;
      }
    }
  }
  sums.compute = unite(compute);
  sums.comm = unite(comm);
  std::vector<TimeRange> both = compute;
  both.insert(both.end(), comm.begin(), comm.end());
  const Picoseconds covered = unite(both);
  sums.exposed = covered - sums.compute;
  sums.idle = std::max<Picoseconds>(0, range.length() - covered);
  return sums;
}

std::string range_csv(const ViewInput& input, TimeRange range) {
  std::string out =
      "device,lane,events,busy_s,min_s,mean_s,max_s,bytes,compute_s,comm_s,exposed_s,idle_s,bytes_sent,"
      "approximate\n";
  for (int32_t d = 0; d < input.trace.devices(); ++d) {
    const RangeSums sums = range_sums(input, d, range);
    for (size_t l = 0; l < sums.lanes.size(); ++l) {
      const LaneSums& lane = sums.lanes[l];
      if (lane.count == 0) continue;
      const double mean = sums.approximate ? 0 : to_seconds(lane.total) / static_cast<double>(lane.count);
      out += fmt::format("\"{}\",{},{},{},{},{},{},{},{},{},{},{},{},{}\n", device_name(input.run.mesh, d),
                         lane_name(input, static_cast<int>(l)), lane.count, to_seconds(lane.busy),
                         to_seconds(lane.shortest), mean, to_seconds(lane.longest), lane.bytes,
                         to_seconds(sums.compute), to_seconds(sums.comm), to_seconds(sums.exposed),
                         to_seconds(sums.idle), sums.bytes_sent, sums.approximate ? "yes" : "no");
    }
  }
  return out;
}

}  // namespace shardscope
