// SPDX-License-Identifier: Apache-2.0
#include "engine/trace/stored_trace.h"

#include <algorithm>
#include <map>
#include <mutex>

#include "engine/run/lane_pyramid.h"
#include "engine/run/trace_order.h"
#include "engine/trace/blocks/bins.h"
#include "engine/trace/blocks/event_numbers.h"
#include "engine/trace/drawn_blocks.h"
#include "engine/trace/loader.h"
#include "engine/trace/numbered_events.h"
#include "engine/trace/run_columns.h"

namespace shardscope::inline trace {
namespace {

// A lane of a timeline as the file has it.
struct StoredLane {
  int64_t first_event = 0, event_count = 0;  // rows
  Picoseconds longest = 0;
  bool serial = true;
  std::vector<Picoseconds> widths;  // of its pyramid's levels, finest first
};

class StoredTrace final : public TraceSource {
 public:
  StoredTrace(Database db, int64_t run) : db_(std::move(db)), run_(run) {}

  Result<void> open();

  int32_t devices() const override { return devices_; }
  const std::vector<Lane>& lanes() const override { return lanes_; }
  Picoseconds total() const override { return total_; }
  int64_t event_count() const override { return event_count_; }
  int64_t events_kept() const override { return bounds_.events; }
  std::vector<int32_t> known_alike() const override;
  Result<Event> event(int32_t number) const override;
  Result<std::vector<int32_t>> events(DeviceId device, int lane, TimeRange range) const override;
  Result<std::vector<LaneBin>> bins(DeviceId device, int lane, TimeRange range, int pixels) const override;
  Result<std::vector<int32_t>> critical_path() const override { return critical_; }
  Result<std::vector<Step>> steps() const override;

 private:
  // BinMerger's bins and, beside them, the number of each one's first event.
  struct Merged {
    std::vector<PyramidBin> bins;
    std::vector<int32_t> numbers;
  };

  Result<const StoredLane*> find_lane(DeviceId device, int lane) const;
  Result<const DevicePermutations*> permutations(int32_t device) const;
  Result<void> add_events(const StoredLane& lane, const DevicePermutations& permutations, TimeRange range,
                          BinMerger& merger, Merged& merged) const;
  Result<void> add_level(LaneKey key, Picoseconds width, const DevicePermutations& permutations,
                         TimeRange range, BinMerger& merger, Merged& merged) const;
  Result<void> read_lanes();

  Database db_;
  int64_t run_;
  int32_t devices_ = 0;
  Picoseconds total_ = 0;
  int64_t event_count_ = 0;
  EventBounds bounds_;
  std::map<int64_t, LaneKey> lane_of_row_;  // by a lane's first row; without empty lanes
  std::vector<Lane> lanes_;
  std::vector<int32_t> timelines_;  // by device
  std::map<LaneKey, StoredLane> stored_;
  std::map<LaneKey, std::vector<int32_t>> critical_places_;  // by device and lane, ascending
  std::vector<int32_t> critical_;
  // One connection serves any thread, a call at a time.
  mutable std::mutex mutex_;
  mutable std::map<int32_t, DevicePermutations> permutations_;
  mutable std::optional<Statement> pieces_;  // of a pyramid's level; kept, since a picture asks for many
  std::unique_ptr<NumberedEvents> numbered_;
  mutable StoredBins read_;  // those of a piece
  mutable Merged merged_;    // memory that is used again
  std::unique_ptr<DrawnBlocks> blocks_;
};

Result<void> StoredTrace::open() {
  TRY(Statement run, db_.prepare("SELECT devices, total, event_count, lanes, events_kept,"
                                 " (SELECT count(*) FROM instruction WHERE run = id) FROM run"
                                 " WHERE id = ? AND status <> 'recording'"));
  run.bind_all(run_);
  TRY(const bool found, run.step());
  if (!found) return invalid("no run " + std::to_string(run_), db_.path());
  devices_ = run.integer32(0);
  total_ = run.integer(1);
  event_count_ = run.integer(2);
  TRY(lanes_, parse_lanes(run.text(3), db_.path()));
  bounds_ = {devices_, run.integer(4), run.integer(5), total_};
  TRY(Statement timelines, db_.prepare("SELECT timeline FROM device_timeline WHERE run = ? ORDER BY device"));
  timelines.bind_all(run_);
  while (true) {
    TRY(const bool more, timelines.step());
    if (!more) break;
    timelines_.push_back(timelines.integer32(0));
  }
  if (timelines_.size() != static_cast<size_t>(devices_)) return damaged_run(db_, run_, "number of devices");
  TRY_VOID(read_lanes());
  TRY(Statement widths, db_.prepare("SELECT timeline, lane, width FROM pyramid WHERE run = ? AND piece = 0"
                                    " ORDER BY width"));
  widths.bind_all(run_);
  while (true) {
    TRY(const bool more, widths.step());
    if (!more) break;
    stored_[{widths.integer32(0), widths.integer32(1)}].widths.push_back(widths.integer(2));
  }
  TRY(Statement path, db_.prepare("SELECT number, device, lane, lane_place FROM critical_event WHERE run = ?"
                                  " ORDER BY place"));
  path.bind_all(run_);
  while (true) {
    TRY(const bool more, path.step());
    if (!more) break;
    critical_.push_back(path.integer32(0));
    critical_places_[{path.integer32(1), path.integer32(2)}].push_back(path.integer32(3));
  }
  for (auto& [key, places] : critical_places_) std::sort(places.begin(), places.end());
  TRY(Statement pieces, db_.prepare("SELECT bins FROM pyramid WHERE run = ? AND timeline = ? AND lane = ? AND"
                                    " width = ? AND first_start < ? AND last_end >= ? ORDER BY piece"));
  pieces_.emplace(std::move(pieces));
  TRY(numbered_, NumberedEvents::of(db_, run_, bounds_, lane_of_row_,
                                    [this](int32_t device) { return permutations(device); }));
  TRY(blocks_, DrawnBlocks::of(db_, run_, total_));
  return {};
}

std::vector<int32_t> StoredTrace::known_alike() const {
  std::map<int32_t, int32_t> firsts;  // by timeline
  std::vector<int32_t> out;
  for (const int32_t timeline : timelines_) {
    const auto d = static_cast<int32_t>(out.size());
    // Without events all devices have one timeline, whatever they did.
    out.push_back(bounds_.events == 0 ? d : firsts.try_emplace(timeline, d).first->second);
  }
  return out;
}

// They are many, and a picture of the timeline needs none.
Result<std::vector<TraceSource::Step>> StoredTrace::steps() const {
  const std::lock_guard lock(mutex_);
  TRY(Statement row,
      db_.prepare("SELECT step, transfer_step, start, end FROM step WHERE run = ? ORDER BY place"));
  row.bind_all(run_);
  std::vector<Step> steps;
  while (true) {
    TRY(const bool more, row.step());
    if (!more) return steps;
    steps.push_back({row.integer32(0), row.integer32(1), {row.integer(2), row.integer(3)}});
  }
}

Result<void> StoredTrace::read_lanes() {
  TRY(Statement lanes,
      db_.prepare("SELECT timeline, lane, first_event, event_count, longest, serial FROM lane"
                  " WHERE run = ?"));
  lanes.bind_all(run_);
  while (true) {
    TRY(const bool more, lanes.step());
    if (!more) break;
    const LaneKey key{lanes.integer32(0), lanes.integer32(1)};
    const StoredLane lane{lanes.integer(2), lanes.integer(3), lanes.integer(4), lanes.integer(5) != 0, {}};
    if (lane.first_event < 0 || lane.first_event > kMaxRow || lane.event_count < 0 ||
        lane.event_count > bounds_.events || lane.longest < 0 || lane.longest > total_)
      return damaged_run(db_, run_, "lanes");
    stored_[key] = lane;
    if (lane.event_count > 0) lane_of_row_[lane.first_event] = key;
  }
  return {};
}

Result<const StoredLane*> StoredTrace::find_lane(DeviceId device, int lane) const {
  TRY_VOID(check_lane(*this, device, lane));
  static const StoredLane empty;
  const auto found = stored_.find({timelines_[static_cast<size_t>(device.value)], lane});
  return found == stored_.end() ? &empty : &found->second;
}

Result<const DevicePermutations*> StoredTrace::permutations(int32_t device) const {
  if (const auto found = permutations_.find(device); found != permutations_.end()) return &found->second;
  TRY(DevicePermutations read, DevicePermutations::read(db_, run_, device));
  return &permutations_.emplace(device, std::move(read)).first->second;
}

Result<std::vector<int32_t>> StoredTrace::events(DeviceId device, int lane, TimeRange range) const {
  const std::lock_guard lock(mutex_);
  TRY(const StoredLane* stored, find_lane(device, lane));
  TRY(const DevicePermutations* numbers, permutations(device.value));
  std::vector<int32_t> found;
  TRY_VOID(blocks_->each(
      {stored->first_event, stored->event_count, stored->serial ? 0 : stored->longest}, range,
      [&](const PyramidBin&, const DrawnColumns& block, size_t at) {
        found.push_back(static_cast<int32_t>(numbers->number(block.number[at], block.permutation[at])));
      }));
  return found;
}

Result<void> StoredTrace::add_events(const StoredLane& lane, const DevicePermutations& numbers,
                                     TimeRange range, BinMerger& merger, Merged& merged) const {
  return blocks_->each({lane.first_event, lane.event_count, lane.serial ? 0 : lane.longest}, range,
                       [&](const PyramidBin& event, const DrawnColumns& block, size_t at) {
                         merger.add(event);
                         if (merged.bins.size() > merged.numbers.size())
                           merged.numbers.push_back(
                               static_cast<int32_t>(numbers.number(block.number[at], block.permutation[at])));
                       });
}

Result<void> StoredTrace::add_level(LaneKey key, Picoseconds width, const DevicePermutations& numbers,
                                    TimeRange range, BinMerger& merger, Merged& merged) const {
  const ResetAtEnd reset{*pieces_};
  Statement& pieces = *pieces_;
  pieces.bind_all(run_, key.first, key.second, width, range.end, range.start);
  while (true) {
    TRY(const bool more, pieces.step());
    if (!more) return {};
    if (!read_.read(pieces.blob(0))) return damaged_run(db_, run_, "level of detail");
    for (size_t i = 0; i < read_.size(); ++i) {
      const Picoseconds start = read_.start(i), end = read_.end(i);
      if (start < 0 || start > end || end > total_) return damaged_run(db_, run_, "level of detail");
      if (start >= range.end) break;
      if (!touches(range, start, end)) continue;
      const PyramidBin bin = read_.bin(i);
      if (bin.first < 0 || bin.count < 1 || int64_t{bin.first} + bin.count > bounds_.events)
        return damaged_run(db_, run_, "level of detail");
      merger.add(bin);
      if (merged.bins.size() > merged.numbers.size())
        merged.numbers.push_back(static_cast<int32_t>(numbers.number(read_.number(i), read_.permutation(i))));
    }
  }
}

Result<std::vector<LaneBin>> StoredTrace::bins(DeviceId device, int lane, TimeRange range, int pixels) const {
  const std::lock_guard lock(mutex_);
  TRY(const StoredLane* stored, find_lane(device, lane));
  TRY(const DevicePermutations* numbers, permutations(device.value));
  const Picoseconds width = cell_width(range, pixels);
  Merged& merged = merged_;
  merged.bins.clear();
  merged.numbers.clear();
  BinMerger merger(range.start, width, merged.bins);
  if (const int level = level_for(stored->widths, width); level >= 0) {
    const LaneKey key{timelines_[static_cast<size_t>(device.value)], lane};
    TRY_VOID(add_level(key, stored->widths[static_cast<size_t>(level)], *numbers, range, merger, merged));
  } else {
    TRY_VOID(add_events(*stored, *numbers, range, merger, merged));
  }
  const auto places = critical_places_.find({device.value, lane});
  CriticalWalk critical(places == critical_places_.end() ? std::span<const int32_t>() : places->second);
  std::vector<LaneBin> bins;
  bins.reserve(merged.bins.size());
  for (size_t i = 0; i < merged.bins.size(); ++i) {
    const PyramidBin& bin = merged.bins[i];
    bins.push_back({{bin.start, bin.end},
                    bin.busy,
                    bin.count,
                    bin.bytes,
                    merged.numbers[i],
                    critical.any(bin.first, bin.count)});
  }
  return bins;
}

Result<Event> StoredTrace::event(int32_t number) const {
  const std::lock_guard lock(mutex_);
  return numbered_->event(number);
}

}  // namespace

Result<std::unique_ptr<TraceSource>> stored_trace(Database db, int64_t run) {
  auto trace = std::make_unique<StoredTrace>(std::move(db), run);
  TRY_VOID(trace->open());
  return std::unique_ptr<TraceSource>(std::move(trace));
}

}  // namespace shardscope::inline trace
