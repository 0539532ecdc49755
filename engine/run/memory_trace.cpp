// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "engine/base/parallel.h"
#include "engine/run/lane_pyramid.h"
#include "engine/run/trace_order.h"
#include "engine/run/trace_source.h"

namespace shardscope::inline run {
namespace {

// A lane of a device: its events by start and the coarser levels over them.
struct LaneTrack {
  std::vector<int32_t> order;        // event numbers
  std::vector<int32_t> critical;     // places in `order`, ascending
  std::vector<Picoseconds> widths;   // of `levels`
  std::vector<PyramidLevel> levels;  // finest first; of a lane that is not serial the first are its events
  Picoseconds longest = 0;           // event
  bool serial = true;                // no event starts before the last one ended
};

class MemoryTrace final : public TraceSource {
 public:
  explicit MemoryTrace(RunPtr run) : run_(std::move(run)), timeline_(run_->timeline) {
    build_tracks();
    steps_ = trace_steps(timeline_.events);
  }

  int32_t devices() const override { return timeline_.devices; }
  const std::vector<Lane>& lanes() const override { return timeline_.lanes; }
  Picoseconds total() const override { return timeline_.total; }
  int64_t event_count() const override { return timeline_.event_count; }
  int64_t events_kept() const override { return std::ssize(timeline_.events); }
  std::vector<int32_t> known_alike() const override {
    std::vector<int32_t> each(static_cast<size_t>(timeline_.devices));
    std::iota(each.begin(), each.end(), 0);
    return each;
  }

  Result<Event> event(int32_t number) const override {
    if (number < 0 || static_cast<size_t>(number) >= timeline_.events.size())
      return no_such_event(number, static_cast<int64_t>(timeline_.events.size()));
    return at(number);
  }

  Result<std::vector<int32_t>> events(DeviceId device, int lane, TimeRange range) const override {
    TRY(const LaneTrack* track, find(device, lane));
    std::vector<int32_t> found;
    for (size_t i = first_place(*track, range); i < track->order.size(); ++i) {
      const Event& event = at(track->order[i]);
      if (event.start >= range.end) break;
      if (touches(range, event.start, event.end)) found.push_back(track->order[i]);
    }
    return found;
  }

  Result<std::vector<LaneBin>> bins(DeviceId device, int lane, TimeRange range, int pixels) const override {
    TRY(const LaneTrack* track, find(device, lane));
    std::vector<PyramidBin> merged;
    merged.reserve(static_cast<size_t>(std::max(1, pixels)));
    const Picoseconds width = cell_width(range, pixels);
    BinMerger merger(range.start, width, merged);
    if (const int level = level_for(track->widths, width); level >= 0)
      merge_level(track->levels[static_cast<size_t>(level)], track->serial, range, merger);
    else
      add_events(*track, range, merger);
    std::vector<LaneBin> bins;
    bins.reserve(merged.size());
    CriticalWalk critical(track->critical);
    for (const PyramidBin& bin : merged)
      bins.push_back({{bin.start, bin.end},
                      bin.busy,
                      bin.count,
                      bin.bytes,
                      track->order[static_cast<size_t>(bin.first)],
                      critical.any(bin.first, bin.count)});
    return bins;
  }

  Result<std::vector<int32_t>> critical_path() const override { return timeline_.critical_path.events; }
  Result<std::vector<Step>> steps() const override { return steps_; }

 private:
  const Event& at(int32_t number) const { return timeline_.events[static_cast<size_t>(number)]; }

  Result<const LaneTrack*> find(DeviceId device, int lane) const {
    TRY_VOID(check_lane(*this, device, lane));
    return &tracks_[static_cast<size_t>(device.value) * timeline_.lanes.size() + static_cast<size_t>(lane)];
  }

  void build_tracks() {
    const size_t lanes = timeline_.lanes.size();
    tracks_.resize(static_cast<size_t>(timeline_.devices) * lanes);
    std::vector<uint32_t> counts(tracks_.size());
    auto track_of = [&](const Event& e) {
      return static_cast<size_t>(e.device) * lanes + static_cast<size_t>(e.lane);
    };
    for (const Event& event : timeline_.events) ++counts[track_of(event)];
    for (size_t t = 0; t < tracks_.size(); ++t) tracks_[t].order.reserve(counts[t]);
    for (size_t i = 0; i < timeline_.events.size(); ++i)
      tracks_[track_of(timeline_.events[i])].order.push_back(static_cast<int32_t>(i));
    const Workers workers;
    workers.parallel_for(static_cast<int64_t>(tracks_.size()),
                         [&](int64_t t) { finish(tracks_[static_cast<size_t>(t)]); });
    mark_critical(track_of);
  }

  void finish(LaneTrack& track) const {
    Picoseconds end = 0;
    for (const int32_t number : track.order) {
      const Event& event = at(number);
      track.longest = std::max(track.longest, event.end - event.start);
      if (event.start < end) track.serial = false;
      end = std::max(end, event.end);
    }
    std::vector<PyramidBin> bins = event_bins(timeline_.events, track.order);
    track.levels = build_pyramid(bins);
    if (!track.serial) track.levels.insert(track.levels.begin(), {0, track.longest, std::move(bins)});
    for (const PyramidLevel& level : track.levels) track.widths.push_back(level.width);
  }

  template <class TrackOf>
  void mark_critical(const TrackOf& track_of) {
    for (const int32_t number : timeline_.critical_path.events) {
      LaneTrack& track = tracks_[track_of(at(number))];
      const auto place = std::lower_bound(track.order.begin(), track.order.end(), number);
      track.critical.push_back(static_cast<int32_t>(place - track.order.begin()));
    }
    for (LaneTrack& track : tracks_) std::sort(track.critical.begin(), track.critical.end());
  }

  // No event before it touches `range`.
  size_t first_place(const LaneTrack& track, TimeRange range) const {
    const auto before = [&](int32_t number, Picoseconds) {
      const Event& event = at(number);
      if (track.serial) return event.end < range.start;
      return event.start < range.start - track.longest;
    };
    return static_cast<size_t>(std::lower_bound(track.order.begin(), track.order.end(), range.start, before) -
                               track.order.begin());
  }

  // Of a serial lane.
  void add_events(const LaneTrack& track, TimeRange range, BinMerger& merger) const {
    for (size_t i = first_place(track, range); i < track.order.size(); ++i) {
      const Event& event = at(track.order[i]);
      if (event.start >= range.end) break;
      const Picoseconds busy = event.end - event.start;
      if (touches(range, event.start, event.end))
        merger.add({event.start, event.end, busy, event.bytes, static_cast<int32_t>(i), 1});
    }
  }

  RunPtr run_;
  const Timeline& timeline_;
  std::vector<LaneTrack> tracks_;  // device × lane
  std::vector<Step> steps_;
};

}  // namespace

std::unique_ptr<TraceSource> memory_trace(RunPtr run) {
  return std::make_unique<MemoryTrace>(std::move(run));
}

}  // namespace shardscope::inline run
