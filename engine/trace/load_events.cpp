// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "engine/trace/loader.h"

namespace shardscope::inline trace {
namespace {

// A run's events by their numbers, and which of them were read.
struct EventsOfRun {
  const Database& db;
  int64_t run;
  EventBounds bounds;
  const Loading& loading;
  std::vector<Event>& events;
  std::vector<bool>& seen;
  EventBlock& block;
  int64_t placed = 0;
  int64_t reported = 0;  // of them, when progress was told last

  // That so many more have their places; false: nobody wants the others.
  bool go_on(int64_t more) {
    constexpr int64_t kTellEach = 1 << 16;
    placed += more;
    if (loading.progress && placed - reported >= kTellEach) {
      reported = placed;
      loading.progress(static_cast<double>(placed) /
                       static_cast<double>(std::max<int64_t>(1, bounds.events)));
    }
    return !loading.stop.stop_requested();
  }
};

// The devices that a timeline is for.
struct Sharers {
  std::vector<int32_t> devices;
  std::vector<DevicePermutations> permutations;
};

// Events of a block for one device. Empty, or what is damaged.
std::string place_events(EventsOfRun& to, const EventBlock& block, int32_t device, int lane,
                         const DevicePermutations& permutations) {
  constexpr size_t kAhead = 16;
  using enum EventColumn;
  for (size_t i = 0; i < block.size(); ++i) {
    const auto number_of = [&](EventColumn offset, EventColumn permutation) {
      const int64_t shared = block.at(permutation, i);
      return shared < 0 ? block.at(offset, i) : permutations.number(block.at(offset, i), shared);
    };
    if (i + kAhead < block.size()) {  // neighbours in a lane stand far apart in memory
      const auto ahead = static_cast<uint64_t>(block.at(number, i + kAhead));
      const Event& place = to.events[ahead < to.events.size() ? ahead : 0];
      __builtin_prefetch(&place, 1);
      __builtin_prefetch(&place.flops, 1);
    }
    const int64_t n = number_of(number, number_permutation);
    if (n < 0 || n >= to.bounds.events || to.seen[static_cast<size_t>(n)]) return "event number";
    Event& event = to.events[static_cast<size_t>(n)];
    event = block.event(i);
    const EventPeers peers{number_of(peer, peer_permutation), number_of(chunk, chunk_permutation),
                           number_of(cause, cause_permutation)};
    if (!complete(event, device, lane, peers, to.bounds)) return "event " + std::to_string(n);
    to.seen[static_cast<size_t>(n)] = true;
  }
  return "";
}

Result<void> load_lane(EventsOfRun& to, const Sharers& sharers, const LaneRows& lane, Statement& blocks) {
  const Error damaged = damaged_run(to.db, to.run, "events are missing");
  int64_t next = lane.first;
  blocks.reset();
  blocks.bind_all(lane.first, lane.first + lane.count);
  while (true) {
    TRY(const bool more, blocks.step());
    if (!more) break;
    const int64_t count = blocks.integer(1);
    if (blocks.integer(0) != next || count < 1 || count > lane.first + lane.count - next) return damaged;
    if (!to.block.read_drawn(blocks.blob(2), static_cast<size_t>(count)) ||
        !to.block.read_others(blocks.blob(3)))
      return damaged_run(to.db, to.run, "block of events");
    next += count;
    for (size_t i = 0; i < sharers.devices.size(); ++i) {
      const std::string damage =
          place_events(to, to.block, sharers.devices[i], lane.lane, sharers.permutations[i]);
      if (!damage.empty()) return damaged_run(to.db, to.run, damage);
      if (!to.go_on(count)) return cancelled();
    }
  }
  if (next != lane.first + lane.count) return damaged;
  return {};
}

}  // namespace

Result<void> load_events(const Database& db, int64_t run, const StoredParts& parts, const EventBounds& bounds,
                         const Loading& loading, std::vector<Event>& events) {
  std::map<int32_t, Sharers> sharers;  // by timeline
  for (size_t device = 0; device < parts.devices.size(); ++device) {
    TRY(DevicePermutations permutations, DevicePermutations::read(db, run, static_cast<int32_t>(device)));
    Sharers& of = sharers[parts.devices[device].timeline];
    of.devices.push_back(static_cast<int32_t>(device));
    of.permutations.push_back(std::move(permutations));
  }
  std::vector<bool> seen(events.size());
  const auto block = std::make_unique<EventBlock>();
  EventsOfRun to{db, run, bounds, loading, events, seen, *block};
  TRY(Statement blocks, db.prepare("SELECT id, count, drawn, others FROM event_block"
                                   " WHERE id >= ? AND id < ? ORDER BY id"));
  for (const auto& [timeline, of] : sharers)
    if (const auto lanes = parts.lanes.find(timeline); lanes != parts.lanes.end())
      for (const LaneRows& lane : lanes->second) TRY_VOID(load_lane(to, of, lane, blocks));
  return {};
}

}  // namespace shardscope::inline trace
