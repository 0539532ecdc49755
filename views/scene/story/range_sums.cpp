// SPDX-License-Identifier: Apache-2.0
#include "views/scene/story/range_sums.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/say.h"
#include "engine/base/text.h"
#include "views/scene/core/pen.h"
#include "views/scene/story/event_text.h"

namespace shardscope::inline views {
namespace {

constexpr int kMergedPixels = 4096;
constexpr int32_t kMostRowsApart = 64;  // devices with rows of their own in a copy

// Of merged events, in which what arrives at the device cannot be told.
DeviceSums merged_sums(const ViewInput& input, int32_t device, TimeRange range) {
  DeviceSums out;
  out.approximate = true;
  std::vector<TimeRange> computed, moved;
  const std::vector<Lane>& lanes = input.trace.lanes();
  for (size_t l = 0; l < lanes.size(); ++l) {
    if (lanes[l].kind == LaneKind::copy) continue;
    const bool link = lanes[l].kind != LaneKind::compute;
    const auto bins = input.trace.bins(DeviceId(device), static_cast<int>(l), range, kMergedPixels);
    if (!bins.ok()) continue;
    for (const LaneBin& bin : *bins) {
      const TimeRange part{std::max(bin.range.start, range.start), std::min(bin.range.end, range.end)};
      if (part.length() <= 0) continue;
      (link ? moved : computed).push_back(part);
      if (link) out.bytes_sent += bin.bytes;
    }
  }
  const Spans compute(std::move(computed));
  out.compute = compute.length();
  out.exposed = Spans(std::move(moved)).minus(compute).length();
  out.idle = std::max<Picoseconds>(0, range.length() - out.compute - out.exposed);
  return out;
}

std::string csv_rows(const RangeStatistics& sums, const std::string& device) {
  std::string out;
  const double devices = std::max(1, sums.devices);
  const auto mean = [&](Picoseconds of_all) { return to_seconds(of_all) / devices; };
  for (const OperationStatistics& row : sums.operations)
    out += fmt::format("\"{}\",\"{}\",{},{},{},{},{},{},{},{},{},{},{}\n", device, row.key, row.count,
                       row.cut, to_seconds(row.sum), to_seconds(row.least), to_seconds(row.mean()),
                       to_seconds(row.most), mean(row.busy), sums.share(row.busy), to_seconds(row.gaps),
                       row.computes ? std::string() : fmt::format("{}", mean(row.hidden)), row.bytes);
  for (const auto& [term, of_all] :
       {std::pair{"compute", sums.compute}, std::pair{"exposed", sums.exposed}, std::pair{"idle", sums.idle}})
    out += fmt::format("\"{}\",\"{}\",,,,,,,{},{},,,\n", device, term, mean(of_all), sums.share(of_all));
  return out;
}

}  // namespace

std::vector<int32_t> chosen_devices(const ViewInput& input, const Selection& selection) {
  const ItemId& item = selection.selected;
  if (item.kind == ItemId::Kind::device && item.device >= 0 && item.device < input.run.timeline.devices)
    return {item.device};
  return all_devices(input.run);
}

bool can_be_summed(const ViewInput& input) {
  const auto events = std::ssize(input.run.timeline.events);
  return events == input.trace.event_count() &&
         events <= (input.telling ? kMostSummedMeanwhile : kMostSummed);
}

std::string why_not_summed(const ViewInput& input) {
  if (can_be_summed(input)) return "";
  if (std::string unread = why_unread(input); !unread.empty()) return unread;
  const int64_t events = input.trace.event_count();
  if (std::ssize(input.run.timeline.events) != events)
    return say("Only the totals of its {} events were kept.", group_digits(events));
  if (input.telling) return said("Its events are being summed …");
  return say("{} events are too many to be summed here: story --range sums them.", group_digits(events));
}

Operations operations_of(const ViewInput& input) {
  return input.sums != nullptr ? input.sums->operations : operations_of_events(input.run, input.story);
}

std::optional<RangeStatistics> range_sums(const ViewInput& input, TimeRange range,
                                          const std::vector<int32_t>& devices) {
  if (!can_be_summed(input)) return std::nullopt;
  if (input.sums == nullptr) return range_statistics(input.run, input.story, range, devices);
  return range_statistics(input.run, input.sums->operations, range, devices);
}

DeviceSums device_sums(const ViewInput& input, int32_t device, TimeRange range) {
  const auto sums = range_sums(input, range, {device});
  if (!sums) return merged_sums(input, device, range);
  return {sums->compute, sums->exposed, sums->idle, sums->bytes_sent, false};
}

std::string range_csv(const ViewInput& input, TimeRange range) {
  std::string out =
      "device,operation,events,cut,sum_s,min_s,mean_s,max_s,busy_s,share,gaps_s,under_compute_s,bytes\n";
  const std::vector<int32_t> all = all_devices(input.run);
  if (const auto sums = range_sums(input, range, all)) out += csv_rows(*sums, "all");
  if (std::ssize(all) > kMostRowsApart) return out;
  for (const int32_t device : all)
    if (const auto sums = range_sums(input, range, {device}))
      out += csv_rows(*sums, device_name(input.run.mesh, device));
  return out;
}

}  // namespace shardscope::inline views
