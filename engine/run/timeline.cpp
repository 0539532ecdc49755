// SPDX-License-Identifier: Apache-2.0
#include "engine/run/timeline.h"

#include <algorithm>
#include <utility>

namespace shardscope::inline run {

namespace {

std::string largest_share(const CriticalPath& path) {
  std::string word = "compute";
  Picoseconds most = path.compute;
  for (const auto& [name, share] :
       {std::pair{"memory", path.memory}, std::pair{"latency", path.latency},
        std::pair{"bandwidth", path.bandwidth}, std::pair{"overhead", path.overhead}}) {
    if (share > most) {
      most = share;
      word = name;
    }
  }
  return word;
}

}  // namespace

const TimedCollective* find_schedule(const Timeline& timeline, int32_t instruction) {
  const auto found = std::lower_bound(timeline.schedules.begin(), timeline.schedules.end(), instruction,
                                      [](const TimedCollective& c, int32_t i) { return c.instruction < i; });
  return found == timeline.schedules.end() || found->instruction != instruction ? nullptr : &*found;
}

const BufferContents* find_contents(const Timeline& timeline, int32_t maker) {
  const auto found = std::lower_bound(timeline.contents.begin(), timeline.contents.end(), maker,
                                      [](const BufferContents& c, int32_t i) { return c.maker() < i; });
  return found == timeline.contents.end() || found->maker() != maker ? nullptr : &*found;
}

SimulatedSummary summarise(const Timeline& timeline) {
  SimulatedSummary out;
  out.total_s = to_seconds(timeline.total);
  out.bound = largest_share(timeline.critical_path);
  if (timeline.totals.empty()) return out;
  // max_element gives the first of equals: the lowest id.
  const auto worst =
      std::max_element(timeline.totals.begin(), timeline.totals.end(),
                       [](const DeviceTotals& a, const DeviceTotals& b) { return a.exposed < b.exposed; });
  out.device = static_cast<int32_t>(worst - timeline.totals.begin());
  out.compute_s = to_seconds(worst->compute);
  out.comm_s = to_seconds(worst->comm);
  out.exposed_comm_s = to_seconds(worst->exposed);
  out.idle_s = to_seconds(worst->idle);
  if (worst->comm > 0)
    out.overlap = 1 - static_cast<double>(worst->exposed) / static_cast<double>(worst->comm);
  return out;
}

PerDevice mean_per_device(const Timeline& timeline) {
  PerDevice mean;
  for (const DeviceTotals& t : timeline.totals) {
    mean.flops += t.flops;
    mean.bytes_sent += static_cast<double>(t.bytes_sent);
    mean.bytes_received += static_cast<double>(t.bytes_received);
    mean.bytes_relayed += static_cast<double>(t.bytes_relayed);
    mean.peak_bytes += static_cast<double>(t.peak_bytes);
  }
  const double devices = static_cast<double>(std::max<size_t>(timeline.totals.size(), 1));
  for (double* sum :
       {&mean.flops, &mean.bytes_sent, &mean.bytes_received, &mean.bytes_relayed, &mean.peak_bytes}) {
    *sum /= devices;
  }
  return mean;
}

PerDevice max_per_device(const Timeline& timeline) {
  PerDevice most;
  for (const DeviceTotals& t : timeline.totals) {
    most.flops = std::max(most.flops, t.flops);
    most.bytes_sent = std::max(most.bytes_sent, static_cast<double>(t.bytes_sent));
    most.bytes_received = std::max(most.bytes_received, static_cast<double>(t.bytes_received));
    most.bytes_relayed = std::max(most.bytes_relayed, static_cast<double>(t.bytes_relayed));
    most.peak_bytes = std::max(most.peak_bytes, static_cast<double>(t.peak_bytes));
  }
  return most;
}

}  // namespace shardscope::inline run
